const DRIVE = /^\p{L}:/u; // `C:` and anything that a file system might take for it

/** Whether a session id, which becomes a file name, could leave its folder (lifecycle 2.3). Empty is safe here. */
export const isUnsafeSessionId = (id: string): boolean =>
  id.includes("..") || /[/\\]/.test(id) || DRIVE.test(id);

/** Whether a lane's key is to be refused (lifecycle 2.3). Keys are logical: an inner `/` is legal. */
export const isUnsafeSessionKey = (key: string): boolean =>
  key.includes("..") || /^[/\\]/.test(key) || DRIVE.test(key);
