// Figures in the reader's way of writing numbers. Pure.

export function figures(language: string): (value: number) => string {
  const format = new Intl.NumberFormat(language || undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return (value) => format.format(value);
}
