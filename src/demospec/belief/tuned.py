"""The numbers that the belief turns on, and what each was chosen by.

Conventions can be read as they stand: odds of twenty to one, 95 %. For the others no measurement is recorded:
they were set by judgement, those of work so that an answer takes seconds. Where one is measured, say so here.
"""

from __future__ import annotations

# -- Conventions: what is the same, sure, possible ---------------------------------------------------------

SAME = 1e-3  # nats an episode, both ways: a thousand demonstrations are expected to tell less than one nat
FAR = 20.0  # nats: a task that costs so much more than the likeliest has next to no weight, and is not kept
LEEWAY = 3.0  # nats, twenty to one: a task is excluded when one that is no larger explains so much better
TOLD = 3.0  # nats, twenty to one: so much must demonstrations tell against another answer
CREDIBLE = 0.95  # of the belief is in a credible set
POSSIBLE = 0.05  # a label with this probability at least is reported as possible
SURE = 0.95  # of the belief in one answer: by default nothing more is asked then
LITTLE = 0.2  # of the belief: a likeliest answer that has less is one of many
LOW, HIGH = 0.05, 0.95  # where nine tenths of the belief about an agent are
IDLE = 1e-6  # times in an episode: what is taken less often is practically never taken
CLAIMED = (0.95, 0.75, 0.25)  # the share from which a claim is settled, likely, open
RARE = 0.005  # a result that is rarer, were the answer right, speaks against it
PROBABLY = 0.5  # a demonstration is named as a mistake above this
USUAL = 0.98  # of an agent's episodes are less surprising than what is worth a warning
FEWEST_RUNS = 3  # complete demonstrations that a success rate needs at least

# -- What to act on: by judgement; what it comes to was measured afterwards (`docs/answer.md`) --------------

AS_OFTEN = 0.95  # as the agent that knows what is meant: so often does one satisfy it for which it is enough
FOR_NOTHING = 0.99  # times as often as the likeliest answer: what can be kept to so often costs nothing
COUNTED_HALF = 0.5  # the power of the evidence, where a belief is asked that trusts it less

# -- What is told: by judgement, so that lists stay short --------------------------------------------------

MOST_TOLD = (5, 4, 3)  # settled, likely and open claims that are told
NEAR = 0.05  # of the belief: a stronger claim that has nearly as much makes one superfluous
ONE_QUESTION = 0.9  # of the belief agrees on two open claims: they are one question
LEFT_OPEN = 0.05  # of the belief, in tasks that were never scored: more is told beside what is enough
MEANT = 0.8  # of a claim's share is of tasks that imply it on all words
READING = 0.02  # nats: what reading a letter costs the one who is asked
SETTLES = 0.01  # nats: a label that tells less settles nothing
MOST_DIFFERENCES = 5  # other answers whose difference is told
MOST_DRAWN = 5  # answers that are drawn, and so have worked out what is open in them

# -- What is left out, since it has little of the belief: by judgement --------------------------------------

LEFT_OUT = 0.02  # of the belief, which is not compared where weights are probabilities
TAIL = 1e-4  # of the belief: the tasks that are left out of claims
LIGHT = 0.01  # of the belief: the tasks that are not asked what they imply on all words
NEGLIGIBLE = 1e-3  # of the belief: then longer lists are not looked at
LOOKED_AT = 30  # likeliest tasks, to tell who showed it

# -- Work and memory: by judgement -------------------------------------------------------------------------

MOST_COMPARED = 150  # tasks, likeliest first
MOST_WORK = 1e8  # numbers in the plans of a comparison, about: larger worlds compare fewer tasks
PAIR_STATES = 32  # monitor states of a pair of tasks both ways, about
FEWEST_COMPARED, UNLISTED_COMPARED = 3, 5
MOST_MEANT = 150  # likeliest answers that are asked what to act on
MOST_TOGETHER = 60  # states of what is acted on
ACTING_WORK = 2e7  # numbers in the plans of one kind, about: larger worlds ask fewer answers
ACTING_STATES = 12  # of two tasks side by side, about
PLANS_TOGETHER = 64  # plans that are made in one pass
MOST_BEGINNINGS = 100  # situations of one length; longer beginnings are not looked at
DEEPEST = 2  # steps: more tell little more, and take longer than the comparisons that they save
OF_A_PLAN = 4  # where plans are large: as many situations as the fourth part of a plan has
FOR_A_PICTURE = 4_000_000  # situations over all worlds; where there are more, words are not looked for
FOR_A_COMPARISON = 300_000  # a description makes dozens
FOR_WORDS = 200_000  # with a tree of words, or with many tasks beside each other
MOST_WORDS = 3_000  # nodes of the tree
LONGEST_WORD, SHORTEST_WORD = 8, 2  # letters, where not all words are followed
WORDS_DRAWN = 400  # words of random episodes, to begin with
MOST_TELLING = 16  # words that tell two tasks apart, of one comparison
ANY_WORDS, LONG_WORD = 800, 14  # words that need not occur, and letters of the longest
MACHINES_TOGETHER = 1024  # machines that read the tree at once: their states fit into a cache
MOST_ASKED = 1000  # tasks, where what they imply on all words only chooses what is told
FEW_WORDS = 128  # on which most sentences are seen not to follow
MOST_WALKS = 24  # pairs of a task and a clause that are decided by following all paths
EPISODES_DRAWN = 200  # of the agent, that a demonstration's surprise is compared with
PARTICLES, FEWEST_PARTICLES = 250, 60
WEIGHED = 2_000  # scored tasks that are weighed at the agent, likeliest first
SAMPLING_WORK = (
    3e8  # numbers in the plans of a step, about: in large worlds there are fewer particles and tasks
)
SAMPLING_STATES = 6  # of a task, about
LONGEST_LIST = 8  # clauses
