import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Machine } from '../../../shared/attestation/machine.ts'
import { measuredEnvironments } from '../../../shared/attestation/measured-environment.ts'
import { composeHashRule } from '../../../shared/attestation/rules/compose-hash.ts'

const APP_ID = 'ab'.repeat(20)
const appCompose = (compose: string) => JSON.stringify({ docker_compose_file: compose })

/** Evaluates the rule for a machine that measured the compose file. */
function judge(compose: string, root: 'intel' | 'simulated') {
  const app_compose = appCompose(compose)
  const compose_hash = createHash('sha256').update(app_compose).digest('hex')
  const machine = { app: { appId: APP_ID, composeHash: compose_hash } } as Machine
  const policy = { root: { kind: 'any' }, statuses: [], appId: APP_ID } as const
  return composeHashRule(
    { app_id: APP_ID, compose_hash, tcb_info: { app_compose } },
    machine,
    root,
    policy,
  )
}

const setting = (value: string) =>
  `services:\n  origin:\n    environment:\n      - SVC_ENV${value}\n`

describe('the environment in the measured compose file', () => {
  it.each(['=staging', '=local', '', '=${SVC_ENV}', '=production\n      - SVC_ENV=staging'])(
    'staging passed off as production: a real machine fails the rule with SVC_ENV%s',
    (value) => {
      expect(() => judge(setting(value), 'intel')).toThrow('does not set SVC_ENV=production')
    },
  )

  it.each([setting('=production'), 'services: {}\n', '# SVC_ENV=staging\nservices: {}\n'])(
    'a real machine passes with %j',
    (compose) => {
      expect(judge(compose, 'intel')).toMatchObject({ outcome: 'passed', open: [] })
    },
  )

  it('is left open if a simulated machine is a staging deployment', () => {
    expect(judge(setting('=staging'), 'simulated').open).toEqual([
      expect.stringContaining('This is a staging deployment'),
    ])
    expect(judge(setting('=production'), 'simulated').open).toEqual([])
  })

  it.each([
    ['- SVC_ENV=staging', ['staging']],
    ['SVC_ENV: "staging" # for tests', ['staging']],
    ['- SVC_ENV=prod uction', [undefined]],
    ['- SVC_ENV=$ENV', [undefined]],
    ['# SVC_ENV=staging', []],
  ])('is read from %j', (line, expected) => {
    expect(measuredEnvironments(appCompose(`environment:\n  ${line}\n`))).toEqual(expected)
  })

  it.each(['', '{}', 'null', '{"docker_compose_file":1}'])('is not found in %j', (text) => {
    expect(measuredEnvironments(text)).toEqual([])
  })
})
