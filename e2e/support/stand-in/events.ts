/** `preventDefault` as Electron's events have it. */
export function preventable<T extends object>(fields: T) {
  const event = {
    ...fields,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
  };
  return event;
}
