import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Credentials,
  credentialsOf,
  storedEdgeEntry,
  storedOriginEntry,
} from '../../../shared/cli/credentials/credentials.ts'
import { configFolder } from '../../../shared/cli/credentials/credentials-file.ts'
import { svc } from './command-line.ts'

// Test values in base64 and base64url.
const KEY = Buffer.alloc(32, 7).toString('base64')
const TOKEN = Buffer.alloc(48, 0xfe).toString('base64url')
const BASE = 'https://origin.example'
const module = new URL('../../../shared/cli/credentials/credentials.ts', import.meta.url).href

let folder: string
let environment: Record<string, string>
let credentials: Credentials
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-credentials-'))
  environment = { SVC_CONFIG_DIR: join(folder, 'config') }
  credentials = credentialsOf({ environment })
})
afterEach(() => rmSync(folder, { recursive: true }))

const keepKey = () =>
  credentials.change((kept) => void (storedOriginEntry(kept, BASE).account_key = KEY))
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('the credentials file', () => {
  it.each<[string, Record<string, string>, string]>([
    ['SVC_CONFIG_DIR', { SVC_CONFIG_DIR: '/c', XDG_CONFIG_HOME: '/x', HOME: '/h' }, '/c'],
    ['XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/x', HOME: '/h' }, '/x/svc'],
    ['HOME', { HOME: '/h' }, '/h/.config/svc'],
    [
      'HOME, where XDG_CONFIG_HOME is no absolute path',
      { XDG_CONFIG_HOME: 'x', HOME: '/h' },
      '/h/.config/svc',
    ],
  ])('is located by %s', (_, variables, expected) => {
    expect(configFolder({ environment: variables })).toBe(expected)
  })

  it('is readable only by its owner, folder and file, regardless of the umask', async () => {
    const before = process.umask(0)
    try {
      await keepKey()
    } finally {
      process.umask(before)
    }
    expect(mode(join(folder, 'config'))).toBe('700')
    expect(mode(credentials.file)).toBe('600')
  })

  it('leaves no temporary files', async () => {
    await keepKey()
    expect(readdirSync(join(folder, 'config'))).toEqual(['credentials.json'])
  })

  it('stays unchanged if the disk is full', async () => {
    await keepKey()
    const before = readFileSync(credentials.file, 'utf8')
    const many = `
      import { credentialsOf, storedOriginEntry } from ${JSON.stringify(module)}
      await credentialsOf({ environment: process.env }).change((kept) => {
        for (let at = 0; at < 40; at += 1) storedOriginEntry(kept, 'https://o' + at + '.example').account_key = 'k'.repeat(44)
      })`
    writeFileSync(join(folder, 'many.mjs'), many)
    // As on a full disk, the limit shortens one write and rejects the next.
    const limited = `trap '' XFSZ; ulimit -f 1; exec "${process.execPath}" many.mjs`
    const ran = spawnSync('bash', ['-c', limited], { cwd: folder, env: environment })
    expect(String(ran.stderr)).toMatch(/cannot write .*: EFBIG/)
    expect(readFileSync(credentials.file, 'utf8')).toBe(before)
    expect(readdirSync(join(folder, 'config'))).toEqual(['credentials.json'])
  })

  it('ignores a lock with a future date, as left by a clock that was set back', async () => {
    const lock = `${credentials.file}.lock`
    mkdirSync(lock, { recursive: true, mode: 0o700 })
    utimesSync(lock, new Date(), new Date(Date.now() + 86_400_000))
    await keepKey()
    expect((await credentials.origin(BASE)).account_key).toBe(KEY)
  })

  it('loses no key if several are stored concurrently', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `https://origin-${at}.example`)
    await Promise.all(
      names.map((name) =>
        credentialsOf({ environment }).change(
          (kept) => void (storedOriginEntry(kept, name).account_key = KEY),
        ),
      ),
    )
    expect(Object.keys((await credentials.read()).origins).toSorted()).toEqual(names.toSorted())
  })

  it('returns a key only for the address it was stored for', async () => {
    await keepKey()
    await credentials.change(
      (kept) => void (storedEdgeEntry(kept, 'https://edge.example').token = TOKEN),
    )
    expect((await credentials.origin(`${BASE}/`)).account_key).toBe(KEY)
    for (const other of [
      'http://origin.example',
      `${BASE}:8443`,
      'https://origin.example.evil.example',
    ])
      expect(await credentials.origin(other)).toEqual({})
    expect((await credentials.edge('https://edge.example')).token).toBe(TOKEN)
    expect(await credentials.edge(BASE)).toEqual({})
  })

  it.each([0o640, 0o604, 0o622])(
    'is rejected with mode %o, with the command that fixes it',
    async (bits) => {
      await keepKey()
      chmodSync(credentials.file, bits)
      const ran = await svc(['account', 'credits', '--base-url', BASE], { environment, folder })
      expect(ran.err).toContain(`chmod 600 ${credentials.file}`)
      expect(ran).toMatchObject({ code: 2, out: '' })
    },
  )

  it('symlink: neither reads the file through a link nor writes to the target', async () => {
    const target = join(folder, 'target')
    writeFileSync(target, '{"version":1,"origins":{},"edges":{}}', { mode: 0o600 })
    mkdirSync(join(folder, 'config'), { mode: 0o700 })
    symlinkSync(target, credentials.file)
    await expect(credentials.read()).rejects.toThrow(/symbolic link/)
    await expect(keepKey()).rejects.toThrow(/symbolic link/)
    expect(readFileSync(target, 'utf8')).not.toContain(KEY)
  })

  it('is not written into a folder that others can write to', async () => {
    mkdirSync(join(folder, 'config'))
    chmodSync(join(folder, 'config'), 0o777)
    await expect(keepKey()).rejects.toThrow(/chmod 700/)
    expect(existsSync(credentials.file)).toBe(false)
  })

  it('is rejected if truncated, without revealing its content', async () => {
    await keepKey()
    writeFileSync(credentials.file, `{"version":1,"origins":{"${BASE}":{"account_key":"${KEY}"`)
    const ran = await svc(['account', 'credits', '--base-url', BASE], { environment, folder })
    expect(ran.code).toBe(2)
    expect(ran.err).toContain('is not a valid credentials file')
    expect(ran.err).not.toContain(KEY)
  })
})

describe('a secret in the arguments', () => {
  it.each<[string, string[]]>([
    ['after an option that there is not', ['account', 'show', '--api-key', KEY]],
    ['in one word with it', ['login', `--token=${TOKEN}`]],
    ['as a param of an action', ['run', 'action.js', '--params', `key=${KEY}`]],
    ['in JSON', ['trigger', 'test', 'x', '--event', JSON.stringify({ token: TOKEN })]],
    ['as the name of a key', ['key', 'delete', KEY, '--yes']],
    ['that is a token', ['cid', TOKEN]],
  ])('%s is rejected with the reason, and not echoed', async (_, words) => {
    for (const more of [[], ['--json']]) {
      const ran = await svc([...words, ...more], { environment, folder })
      expect(ran.err).toContain('secrets are not accepted as arguments')
      expect(ran.err).not.toContain(KEY)
      expect(ran.err).not.toContain(TOKEN)
      expect(ran).toMatchObject({ code: 2, out: '' })
    }
  })

  it.each([
    ['a hash', `0x${'ab'.repeat(32)}`],
    ['a hash without 0x', 'ab'.repeat(32)],
    ['longer base64', Buffer.alloc(65, 1).toString('base64')],
    ['a CID', `Qm${'a'.repeat(44)}`],
    ['a long name of a file', `${'a-long-name-'.repeat(6)}.js`],
  ])('is not suspected in %s', async (_, word) => {
    const ran = await svc(['cid', word], { environment, folder })
    expect(ran.err).not.toContain('secrets')
  })
})

describe('a secret from a file', () => {
  it('is read without its line break, and takes precedence over the environment', async () => {
    writeFileSync(join(folder, 'key'), 'no key\n')
    const words = [
      'run',
      'action.js',
      '--base-url',
      'https://localhost:1',
      '--usage-key-file',
      'key',
    ]
    writeFileSync(join(folder, 'action.js'), '')
    const around = { folder, environment: { ...environment, SVC_USAGE_KEY: KEY } }
    const ran = await svc(words, around)
    // The client rejects it before it sends anything.
    expect(ran.err).toContain('not an API key')
    expect(ran.code).toBe(4)
  })

  it('is rejected if empty', async () => {
    writeFileSync(join(folder, 'empty'), '\n')
    const words = ['account', 'use', '--base-url', BASE, '--key-file', 'empty']
    const ran = await svc(words, { environment, folder })
    expect(ran.err).toContain('empty contains no secret')
    expect(ran.code).toBe(2)
  })
})

it('explains how to get a credential if there is none, and exits with 4', async () => {
  const ran = await svc(['wallet', 'list', '--base-url', BASE, '--json'], { environment, folder })
  expect(JSON.parse(ran.err)).toMatchObject({
    error: 'no_credential',
    fix: expect.stringContaining('svc account create'),
  })
  expect(ran).toMatchObject({ code: 4, out: '' })
})
