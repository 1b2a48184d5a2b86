/** Operators of conditions on decoded arguments. `in` and `not_in` have several values, the others one. */
export const WHERE_OPERATORS = ['eq', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in'] as const
export type WhereOperator = (typeof WHERE_OPERATORS)[number]

export type WhereCondition = {
  /** Position of the argument in the event declaration. */
  argument: number
  operator: WhereOperator
  /** Values in the form in which logs are decoded, with lower-case addresses and byte strings. */
  values: readonly string[]
}

/** Conditions on the decoded arguments of a log, all of which must hold. Stored as JSON with the subscription. */
export type WhereFilter = {
  /** Signature by which logs are decoded, without the names of arguments. */
  signature: string
  conditions: readonly WhereCondition[]
}
