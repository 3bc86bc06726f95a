"""Who wrote each file last, and from what: what a rewind may leave there."""
PERSON, AGENT, BASE = "person", "agent", "base"
NEVER_THERE = [(BASE, None)]


class Oracle:
    """Remembers every change of a day, and knows nothing of the product."""

    def __init__(self, world):
        self.world = world
        self.histories = {}  # path -> [(who, text)], oldest first; the text is None where the file was gone
        self.exceptions = set()  # paths that fall under the one named exception
        self.story = []  # what happened, for people

    def begin(self, name):
        self.histories[name] = [(BASE, self.world.read(name))]

    def forget_before(self):
        """The session begins now: what there is, is where a rewind goes back to."""
        for history in self.histories.values():
            history[:] = [(BASE, history[-1][1])]

    def note(self, who, name, why):
        """Somebody has just changed a file."""
        text = self.world.read(name)
        self.histories.setdefault(name, list(NEVER_THERE)).append((who, text))
        self.story.append(f"{who:6} {name} {why} -> {text!r}")

    def history(self, name):
        return self.histories.get(name, NEVER_THERE)

    def last_writer(self, name):
        return self.history(name)[-1][0]

    def allowed(self, name):
        """The texts that a rewind to the start may leave: what is there, or what was there before the agent's last run of
        changes. What the person wrote last stays."""
        history = self.history(name)
        texts = [history[-1][1]]
        if history[-1][0] == AGENT:
            texts.append(next(text for who, text in reversed(history) if who != AGENT))
        return texts

    def is_agents_alone(self, name):
        """Whether the agent changed a file, and the person never did: that is what a rewind is for."""
        history = self.history(name)
        writers = {who for who, _ in history}
        return history[-1][0] == AGENT and PERSON not in writers and history[-1][1] != history[0][1]

    def first(self, name):
        return self.history(name)[0][1]
