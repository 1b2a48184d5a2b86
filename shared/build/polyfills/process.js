/* An environment without variables. Actions receive what differs between deployments as params. */
const process = {
  env: {},
  argv: [],
  browser: true,
  platform: 'browser',
  version: '',
  versions: {},
  cwd: () => '/',
  nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)),
  emitWarning: (warning) => console.warn(String(warning)),
}

export const { env, argv, browser, platform, version, versions, cwd, nextTick, emitWarning } =
  process
export default process
