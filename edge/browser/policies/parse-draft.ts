import { parsePolicy, type Policy } from '../../../shared/policies/policy.ts'
import { PolicyError, type PolicyProblem } from '../../../shared/policies/policy-error.ts'

export type ParsedDraft =
  | { policy: Policy; problems?: undefined }
  | { policy?: undefined; problems: readonly PolicyProblem[] }

export function parseDraft(text: string): ParsedDraft {
  try {
    return { policy: parsePolicy(text) }
  } catch (error) {
    if (error instanceof PolicyError) return { problems: error.problems }
    throw error
  }
}
