import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { accountConfig } from '../../../origin/accounts/chain.ts'
import { PredictedRevertError } from '../../../origin/accounts/predicted-revert.ts'
import { ContractRevertError } from '../../../origin/accounts/writer.ts'
import { failureResponse } from '../../../origin/http/failure.ts'

const file = new URL('../../../origin/contracts/IAccountConfigErrors.sol', import.meta.url)
const source = readFileSync(file, 'utf8')

/** Each error, with the status at the start of its comment. */
const documented = [
  ...source.matchAll(/ {4}\/\/\/ (\d{3})[.:].*\n(?: {4}\/\/\/.*\n)* {4}error (\w+)/g),
].map(([, status, name]) => ({ name: name!, status: Number(status) }))

const answerTo = (name: string, args: string[]) =>
  failureResponse(new ContractRevertError(name, args), 'https://origin.test')

/** Sample arguments for the types of an error, as they are decoded. */
function argumentsOf(name: string): string[] {
  const samples: Record<string, string> = {
    uint256: '7',
    address: `0x${'1'.repeat(40)}`,
    bytes32: `0x${'ab'.repeat(32)}`,
    string: 'field',
  }
  return accountConfig.getError(name)!.inputs.map(({ type }) => samples[type]!)
}

describe('a contract error', () => {
  it('is documented with its status', () => {
    const declared = [...source.matchAll(/^ {4}error (\w+)\(/gm)].map(([, name]) => name)
    expect(documented.map(({ name }) => name)).toEqual(declared)
  })

  it.each(documented)('$name is $status, with its arguments and without', ({ name, status }) => {
    for (const args of [argumentsOf(name), []]) {
      const answer = answerTo(name, args)
      expect(answer.status).toBe(status)
      expect(answer.headers['x-svc-error']).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(JSON.stringify(answer.body)).not.toMatch(/undefined|null|\bNaN\b/)
      expect(typeof answer.body).toBe([400, 404, 409].includes(status) ? 'string' : 'object')
    }
  })

  it.each(documented)('$name has one response, whether foreseen or reverted', ({ name }) => {
    const args = argumentsOf(name)
    const foreseen = failureResponse(new PredictedRevertError(name, args), 'https://origin.test')
    expect(foreseen).toEqual(answerTo(name, args))
  })

  it.each(documented.filter(({ status }) => status === 403))(
    '$name is the structured 403 of authorization, with the error name as its reason',
    ({ name }) => {
      const { body, headers, code } = answerTo(name, argumentsOf(name))
      expect(body).toMatchObject({ error: 'forbidden', reason: code })
      expect(headers['x-svc-error']).toBe(code)
    },
  )

  it('names what is missing', () => {
    expect(answerTo('GroupDoesNotExist', ['1', '42']).body).toBe(
      'The account has no group 42. Send the ID of a group in list_groups; IDs of removed groups are not reused.',
    )
    const hash = `0x${'0'.repeat(62)}ff`
    expect(answerTo('UsageApiKeyDoesNotExist', ['1', '255']).body).toContain(
      `The account has no usage key with the hash ${hash}.`,
    )
    expect(answerTo('TooManyIds', ['pkpIds', '501', '500']).body).toContain(
      'pkpIds: 501 exceeds the limit of 500.',
    )
  })

  it('that a later contract adds is not a 500', () => {
    const status = (name: string) => answerTo(name, ['1']).status
    expect(status('NewThingDoesNotExist')).toBe(404)
    expect(status('NewThingAlreadyExists')).toBe(409)
    expect(status('NotAllowedToDoNewThings')).toBe(403)
    for (const name of ['Anything', 'unknown', 'reverted', 'constructor', '__proto__'])
      expect(status(name)).toBe(400)
  })
})
