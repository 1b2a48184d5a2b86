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
  keptEdge,
  keptOrigin,
} from '../../../shared/cli/credentials/credentials.ts'
import { configFolder } from '../../../shared/cli/credentials/credentials-file.ts'
import { svc } from './command-line.ts'

/** As base64 and base64url have them; nobody's. */
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

const keepKey = () => credentials.change((kept) => void (keptOrigin(kept, BASE).account_key = KEY))
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
  ])('is where %s says', (_, variables, expected) => {
    expect(configFolder({ environment: variables })).toBe(expected)
  })

  it('is its owner’s alone, folder and file, whatever the umask says', async () => {
    const before = process.umask(0)
    try {
      await keepKey()
    } finally {
      process.umask(before)
    }
    expect(mode(join(folder, 'config'))).toBe('700')
    expect(mode(credentials.file)).toBe('600')
  })

  it('has nothing beside it when it was written', async () => {
    await keepKey()
    expect(readdirSync(join(folder, 'config'))).toEqual(['credentials.json'])
  })

  it('stays as it was where the disk is full', async () => {
    await keepKey()
    const before = readFileSync(credentials.file, 'utf8')
    const many = `
      import { credentialsOf, keptOrigin } from ${JSON.stringify(module)}
      await credentialsOf({ environment: process.env }).change((kept) => {
        for (let at = 0; at < 40; at += 1) keptOrigin(kept, 'https://o' + at + '.example').account_key = 'k'.repeat(44)
      })`
    writeFileSync(join(folder, 'many.mjs'), many)
    // As a full disk does, the limit lets a write end early, and refuses the next one.
    const limited = `trap '' XFSZ; ulimit -f 1; exec "${process.execPath}" many.mjs`
    const ran = spawnSync('bash', ['-c', limited], { cwd: folder, env: environment })
    expect(String(ran.stderr)).toMatch(/was not written: EFBIG/)
    expect(readFileSync(credentials.file, 'utf8')).toBe(before)
    expect(readdirSync(join(folder, 'config'))).toEqual(['credentials.json'])
  })

  it('waits for no lock of the future, which a clock that was put back leaves', async () => {
    const lock = `${credentials.file}.lock`
    mkdirSync(lock, { recursive: true, mode: 0o700 })
    utimesSync(lock, new Date(), new Date(Date.now() + 86_400_000))
    await keepKey()
    expect((await credentials.origin(BASE)).account_key).toBe(KEY)
  })

  it('loses no key where several are kept at once', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `https://origin-${at}.example`)
    await Promise.all(
      names.map((name) =>
        credentialsOf({ environment }).change(
          (kept) => void (keptOrigin(kept, name).account_key = KEY),
        ),
      ),
    )
    expect(Object.keys((await credentials.read()).origins).toSorted()).toEqual(names.toSorted())
  })

  it('gives a key to the address that it was kept for, and to no other', async () => {
    await keepKey()
    await credentials.change((kept) => void (keptEdge(kept, 'https://edge.example').token = TOKEN))
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
    'is refused with mode %o, and says how to put it right',
    async (bits) => {
      await keepKey()
      chmodSync(credentials.file, bits)
      const ran = await svc(['account', 'credits', '--base-url', BASE], { environment, folder })
      expect(ran.err).toContain(`chmod 600 ${credentials.file}`)
      expect(ran).toMatchObject({ code: 2, out: '' })
    },
  )

  it('is not read through a symbolic link, nor is the link’s target written', async () => {
    const target = join(folder, 'target')
    writeFileSync(target, '{"version":1,"origins":{},"edges":{}}', { mode: 0o600 })
    mkdirSync(join(folder, 'config'), { mode: 0o700 })
    symlinkSync(target, credentials.file)
    await expect(credentials.read()).rejects.toThrow(/symbolic link/)
    await expect(keepKey()).rejects.toThrow(/symbolic link/)
    expect(readFileSync(target, 'utf8')).not.toContain(KEY)
  })

  it('is not written into a folder that others can write', async () => {
    mkdirSync(join(folder, 'config'))
    chmodSync(join(folder, 'config'), 0o777)
    await expect(keepKey()).rejects.toThrow(/chmod 700/)
    expect(existsSync(credentials.file)).toBe(false)
  })

  it('that is torn is refused without a word of what is in it', async () => {
    await keepKey()
    writeFileSync(credentials.file, `{"version":1,"origins":{"${BASE}":{"account_key":"${KEY}"`)
    const ran = await svc(['account', 'credits', '--base-url', BASE], { environment, folder })
    expect(ran.code).toBe(2)
    expect(ran.err).toContain('is not as svc writes it')
    expect(ran.err).not.toContain(KEY)
  })
})

describe('a secret among the words of a command', () => {
  it.each<[string, string[]]>([
    ['after an option that there is not', ['account', 'show', '--api-key', KEY]],
    ['in one word with it', ['login', `--token=${TOKEN}`]],
    ['as a param of an action', ['run', 'action.js', '--params', `key=${KEY}`]],
    ['in JSON', ['trigger', 'test', 'x', '--event', JSON.stringify({ token: TOKEN })]],
    ['as the name of a key', ['key', 'delete', KEY, '--yes']],
    ['that is a token', ['cid', TOKEN]],
  ])('%s is refused with the reason, and is not echoed', async (_, words) => {
    for (const more of [[], ['--json']]) {
      const ran = await svc([...words, ...more], { environment, folder })
      expect(ran.err).toContain('secrets are not taken from arguments')
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
  it('is taken without its line’s end, and wins over the environment', async () => {
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
    // The client refuses it before anything is sent.
    expect(ran.err).toContain('this is no API key')
    expect(ran.code).toBe(4)
  })

  it('that is empty is none', async () => {
    writeFileSync(join(folder, 'empty'), '\n')
    const words = ['account', 'use', '--base-url', BASE, '--key-file', 'empty']
    const ran = await svc(words, { environment, folder })
    expect(ran.err).toContain('empty has no secret in it')
    expect(ran.code).toBe(2)
  })
})

it('without a credential says how to get one, with exit code 4', async () => {
  const ran = await svc(['wallet', 'list', '--base-url', BASE, '--json'], { environment, folder })
  expect(JSON.parse(ran.err)).toMatchObject({
    error: 'no_credential',
    fix: expect.stringContaining('svc account create'),
  })
  expect(ran).toMatchObject({ code: 4, out: '' })
})
