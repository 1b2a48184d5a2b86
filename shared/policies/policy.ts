/** Parses policy documents. */
import { canonicalJson, NotCanonical } from '../derived-action/canonical-json.ts'
import { keccakHex } from '../crypto/keccak.ts'
import { duplicateMember } from '../json/duplicate-member.ts'
import { isDeeperThan } from '../json/json-depth.ts'
import type { z } from 'zod'
import { type CompiledRule, compileRule } from './compile-rule.ts'
import { type PolicyDocument, policySchema } from './document.ts'
import { POLICY_DEPTH_MAX, POLICY_MAX_BYTES } from './limits.ts'
import { PolicyError, type PolicyProblem, refuse } from './policy-error.ts'
import { type Scope, scopeOf } from './scope.ts'

/** A valid policy in compiled form. Parse a policy once, and keep it for all its checks. */
export type Policy = {
  /** The document in canonical form: addresses and bytes are in lower case. */
  document: PolicyDocument
  /** Canonical JSON (RFC 8785) of the document. */
  canonical: string
  /** Keccak-256 of the canonical JSON, as 0x hex. */
  hash: string
  scope: Scope
  rules: readonly CompiledRule[]
}

/** @throws {PolicyError} with the path of each problem, and how to correct it */
export function parsePolicy(text: string): Policy {
  const { length } = new TextEncoder().encode(text)
  if (length > POLICY_MAX_BYTES)
    refuse(
      'policy',
      `${length} bytes; at most ${POLICY_MAX_BYTES} are allowed. Split the policy over several wallets`,
    )
  const document = parseDocument(text)
  const scope = scopeOf(document)
  const names = document.rules.map(({ name }) => name)
  const twice = names.findIndex((name, at) => names.indexOf(name) !== at)
  if (twice !== -1)
    refuse(`rules[${twice}].name`, `the name ${names[twice]} is taken; choose another`)
  // Compiled before serialization, because conditions are brought into their canonical form by type.
  const rules = document.rules.map((rule, index) => compileRule(rule, scope, `rules[${index}]`))
  const canonical = canonicalText(document)
  return { document, canonical, hash: keccakHex(canonical), scope, rules }
}

function parseDocument(text: string): PolicyDocument {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return refuse('policy', `not JSON: ${error instanceof Error ? error.message : 'syntax error'}`)
  }
  const twice = duplicateMember(text)
  if (twice !== undefined) refuse(twice, 'the member occurs twice; remove one of them')
  // Checked first, because validation is recursive and would overflow the stack.
  if (isDeeperThan(value, POLICY_DEPTH_MAX))
    refuse('policy', `nested deeper than ${POLICY_DEPTH_MAX} levels; nest fewer conditions`)
  const result = policySchema.safeParse(value)
  if (result.success) return result.data
  throw new PolicyError(result.error.issues.flatMap((issue) => problemsOf(issue, [])))
}

function canonicalText(document: PolicyDocument): string {
  try {
    return canonicalJson(withoutAbsent(document), { name: 'policy' })
  } catch (error) {
    if (error instanceof NotCanonical)
      refuse(error.path.replace(/^policy\./, ''), error.message.slice(error.path.length + 2))
    throw error
  }
}

/** Canonical JSON rejects undefined members. */
const withoutAbsent = (document: PolicyDocument): unknown => JSON.parse(JSON.stringify(document))

type Issue = z.core.$ZodIssue

/** Returns the problems of the branch of a union that fits best: the one that fails deepest in the document. */
function problemsOf(issue: Issue, parents: readonly PropertyKey[]): PolicyProblem[] {
  const path = [...parents, ...issue.path]
  if (issue.code === 'invalid_union') {
    const deepest = issue.errors
      .filter((branch) =>
        branch.every((inner) => inner.path.length > 0 || inner.code === 'unrecognized_keys'),
      )
      .toSorted((one, other) => depthOf(other) - depthOf(one))[0]
    if (deepest) return deepest.flatMap((inner) => problemsOf(inner, path))
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: pathText([...path, key]),
      problem: unknownMember(key),
    }))
  return [{ path: pathText(path), problem: issue.message }]
}

const depthOf = (issues: readonly Issue[]) => Math.max(0, ...issues.map(({ path }) => path.length))

const unknownMember = (key: string) =>
  key === 'approval'
    ? 'approval by a person is not supported yet; remove the member'
    : 'unknown member; remove it, or correct its name (docs/policies.md lists all members)'

function pathText(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path)
    text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step)}`
  return text === '' ? 'policy' : text
}
