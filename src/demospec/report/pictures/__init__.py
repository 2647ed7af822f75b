"""Pictures as SVG text: automata, maps, charts. They carry no scripts, ids or style sheets."""
