/** Options of Node for each process of the service. */
export const NODE_OPTIONS = [
  '--disable-warning=ExperimentalWarning',
  // Otherwise, a signal could open a debugger with access to the keys.
  '--disable-sigusr1',
]

/** Options of Node for the origin, in the image and in local stacks. */
export const ORIGIN_NODE_OPTIONS = [
  ...NODE_OPTIONS,
  // In MiB. A smaller young generation than V8's default saves 60 MiB or more (docs/decisions/0082-runs-in-batches.md).
  '--max-semi-space-size=4',
]
