import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { svc } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-usage-'))
writeFileSync(join(folder, 'text'), 'no JSON')
writeFileSync(join(folder, 'list.json'), '[{"mrtd":"00"}]')
afterAll(() => rmSync(folder, { recursive: true }))

const HOST = 'https://origin.example'

describe('an invalid command line', () => {
  it.each<[string, string[], RegExp]>([
    ['neither URL nor bundle', [], /expected a URL/],
    ['both', [HOST, '--offline', 'x'], /expected a URL/],
    ['no URL', ['origin.example'], /not an https:\/\/ URL/],
    ['a URL without TLS', ['http://origin.example'], /not an https:\/\/ URL/],
    ['a host that only looks like this machine', ['http://localhost.example'], /not an https/],
    ['a URL with a path', [`${HOST}/evidences/`], /expected only scheme, host and port/],
    [
      'a URL with a password',
      ['https://a:b@origin.example'],
      /expected only scheme, host and port/,
    ],
    ['--offline with --rpc-url', ['--offline', 'x', '--rpc-url', HOST], /--rpc-url needs a URL/],
    ['--offline with --save', ['--offline', 'x', '--save', 'y'], /--save needs a URL/],
    ['a bundle that is not there', ['--offline', 'absent.json'], /absent\.json/],
    ['an RPC URL that is none', [HOST, '--rpc-url', 'ftp://x'], /--rpc-url/],
    ['a name server without an address', [HOST, '--dns-server', 'ns.example'], /--dns-server/],
    ['an app id that is too short', [HOST, '--app-id', '00'], /--app-id: .*20-byte/],
    ['a compose hash that is none', [HOST, '--compose-hash', 'zz'], /--compose-hash: .*32-byte/],
    ['a status that nobody accepts', [HOST, '--tcb-status', 'Revoked'], /--tcb-status Revoked/],
    ['a file that is no JSON', [HOST, '--collateral', 'text'], /--collateral text/],
    ['a collateral of another shape', [HOST, '--collateral', 'list.json'], /--collateral/],
    ['measurements that are cut', [HOST, '--measurements', 'list.json'], /--measurements 0 mrtd/],
    ['an authority that is not there', [HOST, '--ca', 'absent.pem'], /--ca .*absent\.pem/],
    ['no time', [HOST, '--timeout', '0'], /--timeout 0/],
    ['an option that is none', [HOST, '--trust-me'], /unknown option/],
  ])('%s: exits with 2 and prints the reason', async (_, words, complaint) => {
    const ran = await svc(['verify', ...words], { folder })
    expect(ran.err).toMatch(complaint)
    expect(ran).toMatchObject({ code: 2, out: '' })
  })

  it.each([
    ['trigger', 'show', `-${'V'.repeat(31)}`],
    ['trigger', 'show', '--json', `-${'a'.repeat(31)}`],
    ['trigger', 'run', `--${'h'.repeat(46)}`, '--json'],
  ])('an ID that starts with a hyphen: %s %s %s: says to write it after --', async (...words) => {
    const { code, out, err } = await svc(words)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/after all options and --/)
  })

  it('an ID that starts with a hyphen is accepted after --', async () => {
    const words = ['trigger', 'show', '--triggers-url', HOST, '--', `-${'V'.repeat(31)}`]
    const { code, err } = await svc(words)
    // The command is executed, and fails because it has no token.
    expect(code).toBe(4)
    expect(err).not.toMatch(/hyphen/)
  })

  it('does not suggest commands that do not exist', async () => {
    const ran = await svc(['verifye'])
    expect(ran.err).toMatch(/unknown command/)
    expect(ran.code).toBe(2)
  })
})

it('svc test in a folder without vitest says how to install it', async () => {
  const ran = await svc(['test', 'a.test.ts'], { folder })
  expect(ran).toMatchObject({ code: 2, out: '' })
  expect(ran.err).toContain('npm install --save-dev vitest')
})

it('--help prints the options and the exit codes', async () => {
  const { code, out } = await svc(['verify', '--help'])
  expect(out).toContain('--rpc-url')
  expect(out).toContain('0 HARDWARE, 3 SIMULATED, 1 FAILED, 2 invalid usage')
  expect(code).toBe(0)
})
