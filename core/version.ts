/** The release this build belongs to; `package.json` says the same, held by a test. */
export const version = "0.1.0";
