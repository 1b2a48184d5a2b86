import type { DenialCode } from './denial.ts'
import type { Effect } from './effects.ts'
import type { Calldata } from './known-functions.ts'
import type { SigningRequest } from './request.ts'

/** Circumstances of a request, which come from the service and not from the requester. */
export type PolicyContext = {
  /** Address of the wallet. */
  wallet: string
  /** CID of the action that requests the signature. Null if it is not an action. */
  action: string | null
  /** Unix time in milliseconds. */
  now: number
}

/** A request, with what several rules compute of it. */
export type Subject =
  | (Extract<SigningRequest, { kind: 'transaction' }> & { calldata: Calldata })
  | Exclude<SigningRequest, { kind: 'transaction' }>

/** Reason for which a rule does not match a request. */
export type Mismatch = {
  code: DenialCode
  reason: string
  /** Position of the failed condition. The rule that fails last is the one that the requester probably meant. */
  step: number
}

/** A match names the effect on tokens; undefined if the effect is unknown. */
export type Match = { effect: Effect | undefined }

/** Conditions of a rule, in the order in which they are checked. */
export type MatchRule = (subject: Subject, context: PolicyContext) => Match | Mismatch

export const isMismatch = (value: object): value is Mismatch => 'code' in value
