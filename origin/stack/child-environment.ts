/**
 * Returns the environment variables that child processes inherit. Excludes secrets and settings of other programs.
 * Includes `NODE_COMPILE_CACHE`, with which users choose where Node caches compiled code.
 */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.includes(name)))
}

/**
 * Selects the settings of the user's own account at the payment processor, and the local addresses that actions may
 * access.
 */
export function pickOriginSettings(environment: NodeJS.ProcessEnv): Record<string, string> {
  const isPassedOn = (name: string) =>
    name.startsWith('SVC_PROCESSOR_') || name === 'SVC_OUTBOUND_ALLOW'
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => isPassedOn(entry[0]) && entry[1] !== undefined,
    ),
  )
}
