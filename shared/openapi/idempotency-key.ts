import { IDEMPOTENCY_KEY_MAX } from '../limits.ts'

/** Describes the optional `Idempotency-Key` header of an operation. */
export function idempotencyKeyParameter(description: string): object {
  const schema = { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX }
  return { name: 'Idempotency-Key', in: 'header', required: false, description, schema }
}
