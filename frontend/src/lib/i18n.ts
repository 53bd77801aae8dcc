// Texts in the reader's language: the English text stands in the code, Django's JavaScript catalogue has the translation.

/** What the script of Django's JavaScriptCatalog leaves behind; there is none in English, and in tests. */
interface Catalogue {
  gettext(text: string): string;
  ngettext(one: string, many: string, count: number): string;
  pgettext(context: string, text: string): string;
}

/** The names in braces of an English text; each must be filled, in whatever language the text is. */
type Places<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never;

const catalogue = () => (globalThis as { django?: Catalogue }).django;

/** Translate a text. It stands here as one plain string, because `makemessages` reads it from the source. */
export function gettext<Text extends string>(text: Text): Text {
  return (catalogue()?.gettext(text) as Text | undefined) ?? text;
}

/** Translate a text that has a form for one and a form for many; languages have other forms than English. */
export function ngettext<One extends string, Many extends string>(one: One, many: Many, count: number): One | Many {
  return (catalogue()?.ngettext(one, many, count) as One | Many | undefined) ?? (count === 1 ? one : many);
}

/** Translate a text that is too short to be understood by itself; translators read the context. */
export function pgettext(context: string, text: string): string {
  return catalogue()?.pgettext(context, text) ?? text;
}

const decimalSigns = new Map<string, string>(); // by language: asking the browser takes a while

/** A number in English, such as 2.50, with the decimal sign of the page's language. */
export function decimal(number: string): string {
  const language = globalThis.document?.documentElement?.lang || "en";
  let sign = decimalSigns.get(language);
  if (!sign) {
    sign = (1.5).toLocaleString(language).charAt(1);
    decimalSigns.set(language, sign);
  }
  return number.replace(".", sign);
}

/** The items of a list in the page's language, such as "1, 2, and 3". */
export function listed(items: readonly (string | number)[]): string {
  const language = globalThis.document?.documentElement?.lang || "en";
  return new Intl.ListFormat(language).format(items.map(String));
}

/** Fill the {name} places of a translated text. */
export function fill<Text extends string>(text: Text, values: Record<Places<Text>, string | number>): string {
  const given: Record<string, string | number> = values;
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(given[name] ?? place));
}
