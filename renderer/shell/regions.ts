const TABBABLE =
  'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex]:not([tabindex="-1"])';

/** Where the focus was in each region, so that coming back is coming back. */
const lastIn = new WeakMap<Element, HTMLElement>();

/** Takes the focus to the next or previous region of the page: rail, content, inspector, footer. */
export function goToRegion(direction: 1 | -1): boolean {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")].filter(
    (region) => region.offsetParent !== null || region.getClientRects().length > 0,
  );
  const active = document.activeElement;
  const here = regions.findIndex((region) => region.contains(active));
  const from = regions[here];
  if (from !== undefined && active instanceof HTMLElement) lastIn.set(from, active);
  const start = here < 0 ? (direction === 1 ? -1 : 0) : here;
  const next = regions.at((start + direction + regions.length) % Math.max(1, regions.length));
  if (next === undefined) return false;
  focusRegion(next);
  return true;
}

/**
 * The focus into a region: where it last was, else to its rows, else to the first that takes it, else to itself.
 *
 * @param quietly Without the ring: the operator did not go there by key, it is only where keys should begin.
 */
export function focusRegion(region: HTMLElement, quietly = false): void {
  const options = quietly ? { preventScroll: true, focusVisible: false } : {};
  const before = lastIn.get(region);
  if (before !== undefined && region.contains(before) && before.getClientRects().length > 0) {
    before.focus(options);
    return;
  }
  const row =
    region.querySelector<HTMLElement>('[role=row][tabindex="0"]') ??
    region.querySelector<HTMLElement>('[data-keys=list][tabindex="0"]:not([hidden])');
  const first = row ?? region.querySelector<HTMLElement>(TABBABLE);
  (first ?? region).focus(options);
}

const TRIES = 20;
const TRY_EVERY_MS = 50;

/** The focus into a region that is only about to appear: on its list as soon as it is there, on itself until then. */
export function focusRegionSoon(name: string, tries = TRIES): void {
  setTimeout(() => {
    const region = document.querySelector<HTMLElement>(`[data-region=${name}]`);
    const list = region?.querySelector<HTMLElement>("[data-keys=list]:not([hidden])");
    const active = document.activeElement;
    const waits = tries === TRIES || active === region || active === document.body;
    if (!waits) return; // the operator went on meanwhile
    if (list) list.focus();
    else {
      region?.focus();
      if (tries > 0) focusRegionSoon(name, tries - 1);
    }
  }, TRY_EVERY_MS);
}

/** Gives the focus back to the content where what had it is gone. */
export function focusContentIfLost(): void {
  requestAnimationFrame(() => {
    const main = document.querySelector<HTMLElement>("[data-region=main]");
    if (document.activeElement === document.body && main !== null) focusRegion(main);
  });
}
