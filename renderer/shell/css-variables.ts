/** Custom properties may be set through `style`, as they are the page's way to hand a number to a stylesheet. */
declare module "react" {
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined;
  }
}

export {};
