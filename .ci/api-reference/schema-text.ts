export type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  description?: string
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  $ref?: string
}

export type Field = { name: string; type: string; required: boolean; meaning: string }

/** Includes the fields of nested objects, one level deep, with dotted names such as `options.dedup`. */
export function fieldsOf(schema: Schema, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    {
      name: prefix + name,
      type: typeText(field),
      required: schema.required?.includes(name) === true && field.default === undefined,
      meaning: meaningOf(field),
    },
    ...(prefix === '' ? fieldsOf(inside(field), `${prefix}${name}${bracketsOf(field)}.`) : []),
  ])
}

const inside = (field: Schema) => (field.type === 'array' ? (field.items ?? {}) : field)
const bracketsOf = (field: Schema) => (field.type === 'array' ? '[]' : '')

function meaningOf({ description = '', default: standard }: Schema): string {
  if (standard === undefined || typeof standard === 'object') return description
  const text = typeof standard === 'string' ? standard : JSON.stringify(standard)
  return `${description} Default: \`${text}\`.`.trim()
}

export function typeText(schema: Schema): string {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(typeText))].join(' or ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ')
  if (schema.type === 'array')
    return `array of ${typeText(schema.items ?? {})}${bounds(schema.minItems, schema.maxItems, 'items')}`
  if (schema.type === 'string') return `string${stringBounds(schema)}`
  if (schema.type === 'integer' || schema.type === 'number')
    return schema.type + bounds(schema.minimum, schema.maximum)
  return [schema.type ?? 'any JSON'].flat().join(' or ')
}

/** Omits patterns, except for hex of a fixed length: the field's description is more informative. */
function stringBounds({ pattern, minLength, maxLength }: Schema): string {
  const hex = /^\^0x\[0-9a-fA-F\]\{(\d+)\}\$$/.exec(pattern ?? '')?.[1]
  if (hex !== undefined) return ` of ${Number(hex) / 2} bytes in hex with 0x`
  return bounds(minLength === 1 && maxLength !== undefined ? 1 : minLength, maxLength, 'characters')
}

function bounds(least?: number, most?: number, unit = ''): string {
  const low = least === undefined || least <= Number.MIN_SAFE_INTEGER ? undefined : least
  const high = most === undefined || most >= Number.MAX_SAFE_INTEGER ? undefined : most
  const suffix = unit === '' ? '' : ` ${unit}`
  const number = (value: number) => value.toLocaleString('en-US')
  if (low !== undefined && high !== undefined) return `, ${number(low)} to ${number(high)}${suffix}`
  if (high !== undefined) return `, at most ${number(high)}${suffix}`
  if (low !== undefined && low > (unit === '' ? 0 : 1)) return `, at least ${number(low)}${suffix}`
  return ''
}

/** Used if the schema provides no example. Objects contain only their required fields. */
export function exampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  // The alternatives of an object with fields only add required fields.
  if (choice && schema.properties)
    return exampleOf({
      type: 'object',
      properties: schema.properties,
      required: [...(schema.required ?? []), ...(choice.required ?? [])],
    })
  if (choice) return exampleOf(choice)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name, field]) => schema.required?.includes(name) && field.default === undefined)
          .map(([name, field]) => [name, exampleOf(field)]),
      )
    case 'array':
      return []
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1)
    case 'boolean':
      return true
    case undefined:
    default:
      return '…'
  }
}
