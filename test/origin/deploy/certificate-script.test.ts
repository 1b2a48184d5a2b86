import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'

const compose = readFileSync(
  new URL('../../../origin/deploy/docker-compose.yaml', import.meta.url),
  'utf8',
)
/** The script of the container `acme`, as its shell receives it. */
const script = compose
  .match(/^ {6}- \|\n((?: {8}.*\n)+)/m)![1]!
  .replace(/^ {8}/gm, '')
  .replaceAll('$$', '$')

const ACCOUNT = JSON.stringify(
  {
    id: 'operations@origin.example',
    email: 'operations@origin.example',
    registration: {
      body: { status: 'valid', orders: 'https://acme.example/acme/orders/7' },
      accountURL: 'https://acme.example/acme/acct/7',
    },
  },
  undefined,
  '\t',
)

describe('the certificate container', () => {
  let folder: string
  const file = (name: string) => readFileSync(join(folder, name), 'utf8')
  const lego = (text: string) => {
    writeFileSync(join(folder, 'lego'), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, 'lego'), 0o755)
  }
  const issued = (serial: number) => `
    mkdir -p ${folder}/acme/accounts/acme.example/operations ${folder}/acme/certificates
    printf '%s' '${ACCOUNT}' > ${folder}/acme/accounts/acme.example/operations/account.json
    echo chain${serial} > ${folder}/acme/certificates/origin.example.crt
    echo key${serial} > ${folder}/acme/certificates/origin.example.key`
  /** Runs one iteration, and returns the pause that would follow. */
  const look = () => {
    const here = script
      .replace(/\/(acme|tls|tmp|lego)\b/g, (path) => `${folder}${path}`)
      .replace('sleep "$pause"', 'echo "pause $pause"; exit')
    const env = { ...process.env, LEGO_DOMAINS: 'origin.example' }
    return execFileSync('/bin/sh', ['-c', here], { env, encoding: 'utf8' }).trim()
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-acme-'))
    for (const name of ['acme', 'tls', 'tmp']) mkdirSync(join(folder, name))
  })

  it('gives the origin the chain, the key and, of the ACME account, only its URI', () => {
    lego(issued(1))
    expect(look()).toBe('pause 43200')
    expect(file('tls/fullchain.pem')).toBe('chain1\n')
    expect(file('tls/privkey.pem')).toBe('key1\n')
    expect(file('tls/acme-account.json')).toBe('{"uri":"https://acme.example/acme/acct/7"}\n')
  })

  it('replaces the pair after a renewal', () => {
    lego(issued(1))
    look()
    lego(issued(2))
    look()
    expect([file('tls/fullchain.pem'), file('tls/privkey.pem')]).toEqual(['chain2\n', 'key2\n'])
  })

  it('keeps the current pair and retries soon if the authority is unavailable', () => {
    lego(issued(1))
    look()
    lego('exit 1')
    expect(look()).toBe('pause 600')
    expect(file('tls/fullchain.pem')).toBe('chain1\n')
  })

  it('writes nothing before there is a certificate', () => {
    lego('exit 1')
    look()
    expect(existsSync(join(folder, 'tls/fullchain.pem'))).toBe(false)
  })
})
