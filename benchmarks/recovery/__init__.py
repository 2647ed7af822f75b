"""How often, how well and how soon planted tasks are found again: the planted suite and the wide one."""
