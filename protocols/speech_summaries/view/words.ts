// Words in a row: how they read when joined, and which belong to one sentence. Pure.

// Scripts that put no spaces between words.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー、。「」]/u;
const CLINGS_LEFT = /^[\p{Pe}\p{Pf}.,;:!?…%)\]]+$/u;
const ENDS_SENTENCE = /[.!?…。！？]["'”’)\]»]*$/u;

/** As it would be written: a space between words, except in scripts that have none and before closing signs. */
export function joined(words: readonly string[]): string {
  return words.reduce((text, word) => text + (text && isSpaced(text, word) ? " " : "") + word, "");
}

function isSpaced(before: string, word: string): boolean {
  if (CLINGS_LEFT.test(word)) return false;
  return !(UNSPACED.test([...before].at(-1) ?? "") && UNSPACED.test([...word][0] ?? ""));
}

/** The positions, from 1, of the sentence that a word belongs to: up to the next full stop, question or exclamation mark. */
export function sentenceAround(words: readonly string[], position: number): number[] {
  const isEnd = (place: number) => ENDS_SENTENCE.test(words[place - 1] ?? "");
  let first = position;
  while (first > 1 && !isEnd(first - 1)) first -= 1;
  let last = position;
  while (last < words.length && !isEnd(last)) last += 1;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
