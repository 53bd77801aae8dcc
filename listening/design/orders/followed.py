"""How often each condition followed each other one, and what it costs to let it follow once more."""


class Followed:
    """Counts of ordered pairs of conditions, and of the differences between their numbers.

    The cost is the growth of the sum of squares over both: when seats turn the conditions by one each, all pairs of one
    difference add up, so even differences make even pairs over the seats.
    Of three conditions or more none follows itself. Two are left to chance, or they could only alternate.
    """

    ALIKE = 1_000_000

    def __init__(self, conditions: int) -> None:
        self.conditions = conditions
        self.pairs = [0] * conditions**2
        self.differences = [0] * conditions

    def price(self, before: int, after: int) -> int:
        if self.conditions <= 2:
            return 0
        if before == after:
            return self.ALIKE
        return 2 * (self.pairs[before * self.conditions + after] + self.differences[after - before])

    def add(self, before: int, after: int) -> int:
        price = self.price(before, after)
        self._count(before, after, 1)
        return price

    def drop(self, before: int, after: int) -> int:
        self._count(before, after, -1)
        return self.price(before, after)

    def _count(self, before: int, after: int, change: int) -> None:
        self.pairs[before * self.conditions + after] += change
        self.differences[after - before] += change  # a negative index counts from the end: modulo the conditions

    @property
    def alike(self) -> bool:
        """Whether one of three or more conditions followed itself."""
        return self.conditions > 2 and self.differences[0] > 0

    @property
    def unevenness(self) -> int:
        return sum(count**2 for count in self.pairs) + sum(count**2 for count in self.differences)

    @property
    def is_even(self) -> bool:
        """Whether no two conditions could be followed more evenly, conditions that follow themselves left out."""
        unlike = [count for place, count in enumerate(self.pairs) if place % (self.conditions + 1)]
        return max(unlike) - min(unlike) <= 1 and max(self.differences[1:]) - min(self.differences[1:]) <= 1

    @property
    def leans_back(self) -> bool:
        """Whether conditions were followed more often by those of smaller numbers, counted round."""
        half = (self.conditions + 1) // 2
        return sum(self.differences[1:half]) < sum(self.differences[-half + 1 :]) if half > 1 else False

    @property
    def most_frequent_share(self) -> float:
        """Share of the followers that are the most frequent of those that followed the same condition."""
        rows = [self.pairs[first : first + self.conditions] for first in range(0, len(self.pairs), self.conditions)]
        total = sum(self.differences)
        return sum(map(max, rows)) / total if total else 1.0
