/** What components are given of the environment that the stack was started in. */

/** What a component takes over: nothing that could be another's secret or setting. */
export function inherited(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

/** Payments are taken by who has an account at the processor: it is theirs to say. */
export function processorSettingsIn(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith('SVC_PROCESSOR_') && value !== undefined ? [[name, value]] : [],
    ),
  )
}
