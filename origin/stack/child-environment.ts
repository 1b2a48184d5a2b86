/**
 * Excludes secrets and settings of other programs. `NODE_COMPILE_CACHE` lets users choose where Node caches compiled
 * code.
 */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

/** Settings for the user's own account at the payment processor, and the local addresses that actions may access. */
export function pickOriginSettings(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      (name.startsWith('SVC_PROCESSOR_') || name === 'SVC_OUTBOUND_ALLOW') && value !== undefined
        ? [[name, value]]
        : [],
    ),
  )
}
