import css from "./mark.module.css";

/** The product's sign: a signal post with its arm raised. */
export function Mark() {
  return (
    <svg viewBox="0 0 20 20" className={css["mark"]} aria-hidden>
      <rect x="6" y="2" width="2.4" height="16" rx="1.2" fill="currentColor" />
      <path d="M8.4 9.2 17 4.4l1.3 2.5-8.6 4.7Z" fill="currentColor" />
      <circle cx="7.2" cy="10.4" r="2.3" fill="currentColor" />
      <path d="M3.4 18h7.6" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
    </svg>
  );
}
