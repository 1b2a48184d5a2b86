import type { z } from 'zod'

/**
 * A fault of a setting. `name` may be a position within the setting, such as `CHAINS.base.rpc.1`. The message never
 * contains the value.
 */
export type SettingFault = [name: string, message: string]

/**
 * Finds faults that concern several settings. Settings that are malformed, or missing without a default, are undefined.
 */
type SettingRule<Values> = (values: Partial<Values>) => Iterable<SettingFault>

export type ParsedSettings<Values> =
  | { settings: Values; faults?: undefined }
  | {
      settings?: undefined
      faults: SettingFault[]
      /** Settings without a fault. */
      valid: Partial<Values>
    }

/**
 * Parses each setting separately, and then applies the rules, so that all faults are found at once. An object schema
 * would skip its refinements as soon as one setting is malformed.
 * @param given unparsed settings; other members are ignored
 */
export function parseEachSetting<Shape extends Record<string, z.ZodType>>(
  shape: Shape,
  given: Readonly<Record<string, unknown>>,
  rules: readonly SettingRule<z.output<z.ZodObject<Shape>>>[],
): ParsedSettings<z.output<z.ZodObject<Shape>>> {
  type Values = z.output<z.ZodObject<Shape>>
  const faults: SettingFault[] = []
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(shape)) {
    const { success, data, error } = schema.safeParse(given[name])
    if (success) values[name] = data
    else if (given[name] === undefined) faults.push([name, 'required'])
    else
      for (const { path, message } of error.issues)
        faults.push([[name, ...path].join('.'), message])
  }
  const malformed = new Set(faults.map(([name]) => settingOf(name)))
  for (const rule of rules)
    for (const fault of rule(values as Partial<Values>))
      if (!malformed.has(settingOf(fault[0]))) faults.push(fault)
  if (faults.length === 0) return { settings: values as Values }
  for (const [name] of faults) delete values[settingOf(name)]
  return { faults, valid: values as Partial<Values> }
}

/** Returns the setting to which a position such as `CHAINS.base.rpc.1` belongs. */
export function settingOf(position: string): string {
  return position.split('.')[0]!
}

export function describeFaults(faults: readonly SettingFault[]): string {
  return faults.map((fault) => fault.join(': ')).join('; ')
}
