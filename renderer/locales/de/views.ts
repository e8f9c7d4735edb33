/** Overview, Channels, Agents, Settings and the first run. */
export const views = {
  overview: {},
  channels: {},
  agents: {},
  settings: {},
  firstRun: {},
};
