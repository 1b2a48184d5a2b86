import { POLICY_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { type Policy, parsePolicy } from '../../shared/policies/policy.ts'
import { PolicyError } from '../../shared/policies/policy-error.ts'
import { toJsonText } from './json/json-text.ts'

/** Thrown if the policy document of a request is invalid. */
export class InvalidPolicyError extends Error {
  override readonly name = 'InvalidPolicyError'
  readonly problems: PolicyError['problems']

  constructor({ message, problems }: PolicyError) {
    super(message)
    this.problems = problems
  }
}

/**
 * The policy document of a request. Parsed on first use, which must be after authentication, because parsing the
 * largest document takes 60 ms.
 */
export class PolicyText {
  readonly #text: string
  #parsed: Policy | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** @throws {InvalidPolicyError} */
  get policy(): Policy {
    return (this.#parsed ??= parsed(this.#text))
  }
}

function parsed(text: string): Policy {
  try {
    return parsePolicy(text)
  } catch (error) {
    if (error instanceof PolicyError) throw new InvalidPolicyError(error)
    throw error
  }
}

/**
 * Converts the policy of a parsed body. The operation must list the property in `texts`, so that the text still
 * contains duplicate members.
 */
export const toPolicyText = (document: object): PolicyText =>
  new PolicyText(toJsonText(document).text)

/** Options of the body in operations that accept a policy. */
export const POLICY_BODY = { maxBytes: POLICY_BODY_MAX_BYTES, texts: ['policy'] }
