/** Selects the environment variables that the stack passes on to its components. */

/**
 * Returns the environment variables that every component inherits. Secrets and settings of other programs are excluded.
 * `NODE_COMPILE_CACHE` is included so that users can choose where Node caches compiled code.
 */
export function inherited(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

/**
 * Returns the origin settings that come from the user's environment: those for the user's own account at the payment
 * processor, and the local addresses that actions may access.
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
