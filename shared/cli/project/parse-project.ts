import type { z } from 'zod'
import { UsageError } from '../terminal.ts'
import { secretKind } from '../credentials/secret.ts'
import { isActionCid } from '../../cid/cid-format.ts'
import {
  type ProjectFile,
  projectFileSchema,
  projectHeadSchema,
  SECTIONS,
  type TriggerDeclaration,
} from './project-schema.ts'
import { walletNamesIn } from './wallet-references.ts'

export type DeploymentUrls = { base_url?: string | undefined; triggers_url?: string | undefined }

type Problem = { path: readonly PropertyKey[]; problem: string }

/**
 * Validates the text of `svc.json`, and merges an environment into it.
 * @param json the parsed file
 * @param file its name, for error messages
 * @throws {UsageError} with the path of each problem
 */
export function parseProjectFile(
  json: unknown,
  file: string,
  environment: string | undefined,
): { project: ProjectFile; urls: DeploymentUrls } {
  refuseIfAny(file, secretsIn(json, []))
  const { environments } = parsed(projectHeadSchema, json, file)
  if (environment === undefined) return { project: completeProject(json, file), urls: {} }
  if (!Object.hasOwn(environments, environment))
    throw new UsageError(
      `${file}: environments: no environment is named ${environment}; ${namesOf(environments)}`,
    )
  const { base_url, triggers_url } = environments[environment]!
  const merged = withEnvironment(json as JsonObject, environment)
  const project = completeProject(merged, `${file} with the environment ${environment}`)
  return { project, urls: { base_url, triggers_url } }
}

function completeProject(json: unknown, file: string): ProjectFile {
  const project = parsed(projectFileSchema, json, file)
  refuseIfAny(file, referenceProblems(project))
  return project
}

type JsonObject = Record<string, unknown>

/** The members of a part in the environment replace those of the file. `null` removes the part. */
function withEnvironment(json: JsonObject, environment: string): JsonObject {
  const changes = (json['environments'] as Record<string, JsonObject>)[environment]!
  const merged = { ...json }
  for (const section of SECTIONS) {
    const parts = { ...(json[section] as JsonObject | undefined) }
    for (const [name, change] of Object.entries((changes[section] ?? {}) as JsonObject))
      if (change === null) delete parts[name]
      else if (typeof change === 'string') parts[name] = change
      else parts[name] = { ...(parts[name] as JsonObject | undefined), ...(change as JsonObject) }
    merged[section] = parts
  }
  return merged
}

/** References between the parts of the file. */
function referenceProblems(project: ProjectFile): Problem[] {
  const { actions, wallets, groups, keys, triggers } = project
  const problems: Problem[] = []
  const require = (path: readonly PropertyKey[], what: string, of: object, name: string) => {
    if (!Object.hasOwn(of, name))
      problems.push({ path, problem: `no ${what} is named ${name}; ${namesOf(of)}` })
  }
  for (const [name, { address, policy }] of Object.entries(wallets))
    if (address !== undefined && policy !== undefined)
      problems.push({
        path: ['wallets', name, 'policy'],
        problem:
          'not allowed with address: the policy of a wallet that exists is set with svc wallet policy set',
      })
  for (const name of Object.keys(actions))
    if (isActionCid(name))
      problems.push({
        path: ['actions', name],
        problem: 'a CID as a name would be mistaken for that action; choose another name',
      })
  for (const [name, group] of Object.entries(groups)) {
    for (const [at, action] of group.actions.entries())
      if (!isActionCid(action)) require(['groups', name, 'actions', at], 'action', actions, action)
    for (const [at, wallet] of group.wallets.entries())
      require(['groups', name, 'wallets', at], 'wallet', wallets, wallet)
  }
  for (const [name, key] of Object.entries(keys)) {
    for (const [at, group] of key.execute_in_groups.entries())
      require(['keys', name, 'execute_in_groups', at], 'group', groups, group)
    if ((key.spend_cap_cents === undefined) !== (key.spend_window_seconds === undefined))
      problems.push({
        path: ['keys', name],
        problem: 'spend_cap_cents and spend_window_seconds are given together, or neither is',
      })
  }
  for (const [name, trigger] of Object.entries(triggers)) {
    require(['triggers', name, 'action'], 'action', actions, trigger.action)
    require(['triggers', name, 'key'], 'key', keys, trigger.key)
    problems.push(...sourceProblems(name, trigger))
    const limits = Object.hasOwn(keys, trigger.key) ? keys[trigger.key]!.limits : undefined
    if ((limits?.allowed_origins ?? limits?.allowed_ips) && limits?.allow_triggers !== true)
      problems.push({
        path: ['keys', trigger.key, 'limits', 'allow_triggers'],
        problem: `must be true, because the trigger ${name} uses this key, which is restricted to origins or addresses`,
      })
    for (const member of ['config', 'default_params'] as const)
      for (const { path, wallet } of walletNamesIn(trigger[member]))
        require(['triggers', name, member, ...path], 'wallet', wallets, wallet)
  }
  return problems
}

function sourceProblems(
  name: string,
  { options: { source }, webhook_secret: secret }: TriggerDeclaration,
): Problem[] {
  const path = ['triggers', name, 'webhook_secret']
  const problems: Problem[] = []
  if (source !== undefined && secret === undefined) {
    const problem = 'options.source requires it: name the variable or file with the secret'
    problems.push({ path, problem })
  }
  if (source === undefined && secret !== undefined)
    problems.push({ path, problem: 'requires options.source, the sender that has the secret' })
  for (const [at, reference] of [secret ?? []].flat().entries())
    if ((reference.env === undefined) === (reference.file === undefined))
      problems.push({
        path: Array.isArray(secret) ? [...path, at] : path,
        problem: 'expected either env or file',
      })
  return problems
}

function namesOf(of: object): string {
  const names = Object.keys(of)
  return names.length === 0 ? 'there are none' : `the names are ${names.join(', ')}`
}

/** The file is committed to repositories, so that secrets in it would be published. */
function secretsIn(json: unknown, path: readonly PropertyKey[]): Problem[] {
  if (typeof json === 'string') {
    const secret = secretKind(json)
    if (secret === undefined) return []
    const problem = `looks like ${secret}. Secrets do not belong in this file: usage keys are stored in the credentials file, and secrets of actions are encrypted (docs/actions.md#secrets-of-an-action)`
    return [{ path, problem }]
  }
  if (typeof json !== 'object' || json === null) return []
  const isList = Array.isArray(json)
  return Object.entries(json).flatMap(([name, value]) =>
    secretsIn(value, [...path, isList ? Number(name) : name]),
  )
}

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  json: unknown,
  file: string,
): z.infer<Schema> {
  const result = schema.safeParse(json)
  if (result.success) return result.data
  throw new UsageError(problemText(file, result.error.issues.flatMap(problemsOf)))
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      problem:
        'unknown member; remove it, or correct its name (docs/projects.md lists all members)',
    }))
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => ({ path, problem: message }))
  return [{ path, problem: issue.message }]
}

function refuseIfAny(file: string, problems: readonly Problem[]): void {
  if (problems.length > 0) throw new UsageError(problemText(file, problems))
}

function problemText(file: string, problems: readonly Problem[]): string {
  const lines = problems.map(({ path, problem }) => `${pathText(path)}: ${problem}`)
  return lines.length === 1 ? `${file}: ${lines[0]}` : `${file}:\n${lines.join('\n')}`
}

/** @example pathText(['groups', 'signers', 'actions', 0]) // groups.signers.actions[0] */
function pathText(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path)
    text +=
      typeof step === 'number' || !/^[\w$-]+$/.test(String(step))
        ? `[${JSON.stringify(step)}]`
        : `${text === '' ? '' : '.'}${String(step)}`
  return text === '' ? 'the file' : text
}
