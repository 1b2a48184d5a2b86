import { z } from 'zod'

/**
 * Removes nulls from a value, because generated clients send null for fields that their caller omitted. Preserves a
 * null that the field's own schema accepts.
 * @example withoutNulls(z.object({ limit: z.int().optional() }), { limit: null }) // {}
 */
export function withoutNulls(schema: z.ZodType, value: unknown): unknown {
  const object = objectIn(schema)
  if (!object || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields: Record<string, z.ZodType> = object.shape
  const given = Object.entries(value).flatMap(([name, member]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!field) return [[name, member]]
    const isOptional = field._zod.optin !== undefined
    const isAbsent = member === null && isOptional && !field.safeParse(null).success
    return isAbsent ? [] : [[name, withoutNulls(field, member)]]
  })
  return Object.fromEntries(given)
}

function objectIn(schema: z.ZodType): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapped ? objectIn(schema.unwrap() as z.ZodType) : undefined
}
