/** Red, green and blue, 0 … 255. */
export type Rgb = readonly [number, number, number];

/** Reads `#rrggbb`. @throws {Error} on anything else. */
export function parseHex(hex: string): Rgb {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex.trim());
  if (digits === null) throw new Error(`Not a colour of six digits: ${hex}`);
  const [, red = "", green = "", blue = ""] = digits;
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

/** Relative luminance as WCAG 2.2 defines it. */
export function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of two colours, 1 … 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

/** A colour laid over another at a share of 0 … 1. */
export const laidOver = (colour: Rgb, ground: Rgb, share: number): Rgb =>
  [0, 1, 2].map((at) =>
    Math.round((colour[at] ?? 0) * share + (ground[at] ?? 0) * (1 - share)),
  ) as unknown as Rgb;

/** The tokens of one theme: name without dashes to value. */
export function themeTokens(css: string, theme: "light" | "dark"): Map<string, string> {
  const blocks = [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)].filter(([, selector = ""]) =>
    selector.includes(`[data-theme="${theme}"]`),
  );
  const tokens = new Map<string, string>();
  for (const [, , body = ""] of blocks)
    for (const [, name = "", value = ""] of body.matchAll(/--([\w-]+):\s*([^;]+);/g))
      tokens.set(name, value.trim());
  return tokens;
}
