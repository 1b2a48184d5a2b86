/** What components are given of the environment that the stack was started in. */

/** What a component takes over: nothing that could be another's secret or setting. Node caches compiled code where its user says. */
export function inherited(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

/**
 * What the one who starts a stack says of its origin: the account at the payment processor, which is theirs, and what of this
 * machine actions may reach.
 */
export function originSettingsIn(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      (name.startsWith('SVC_PROCESSOR_') || name === 'SVC_OUTBOUND_ALLOW') && value !== undefined
        ? [[name, value]]
        : [],
    ),
  )
}
