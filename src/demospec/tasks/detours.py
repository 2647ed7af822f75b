from demospec.tasks.dfa import DFA


def detours(task, max_states):
    task = task.minimal
    rows = [list(r) for r in task.table]
    marks = list(task.accepting)
    n = len(rows)
    L = len(rows[0])
    found = {}
    for q in range(n):
        for a in range(L):
            for c in range(n):
                for mark in (False, True):
                    for b in range(L):
                        for t in range(n + 1):
                            if t == rows[c][b]:
                                continue
                            new = [list(r) for r in rows] + [list(rows[c])]
                            new[q][a] = n
                            new[n][b] = t
                            e = DFA(
                                alphabet=task.alphabet,
                                table=tuple(map(tuple, new)),
                                accepting=tuple([*marks, mark]),
                            ).minimal
                            if e.states <= max_states and e != task:
                                found.setdefault(e)
    return list(found)
