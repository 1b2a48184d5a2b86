import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { installed, project, writeFiles } from '../build/project.ts'
import { svc } from './command-line.ts'

const FILES = {
  'src/action.ts': `import one from 'one'\nexport const main = (a: { n: number }) => a.n + one`,
  ...installed('one', { 'index.js': 'export default 1' }),
}

describe('svc build', () => {
  it('writes the script and its map, and prints the CID and the size of each package', async () => {
    const folder = project(FILES)
    const ran = await svc(['build', 'src/action.ts'], { folder })
    const code = readFileSync(join(folder, 'dist/action.js'), 'utf8')
    const cid = await actionCid(code)
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(
      /^dist\/action\.js +\d+ B\n {2}project +\d+ B\n {2}one@1\.2\.3 +\d+ B\n/,
    )
    expect(ran.out.endsWith(`${cid}\n`)).toBe(true)
    const { sources } = JSON.parse(readFileSync(join(folder, 'dist/action.js.map'), 'utf8'))
    expect(sources).toEqual(['npm:one@1.2.3/index.js', 'src/action.ts'])
    expect((await svc(['cid', 'src/action.ts'], { folder })).out).toBe(`${cid}\n`)
  })

  it('--out, --minify and --json', async () => {
    const folder = project(FILES)
    const words = ['build', 'src/action.ts', '--out', 'out/small.js', '--minify', '--json']
    const { out } = await svc(words, { folder })
    const code = readFileSync(join(folder, 'out/small.js'), 'utf8')
    expect(JSON.parse(out)).toMatchObject({
      file: join(folder, 'out/small.js'),
      cid: await actionCid(code),
      bytes: Buffer.byteLength(code),
      packages: [{ name: 'project' }, { name: 'one@1.2.3' }],
      warnings: [],
    })
  })

  it('does not overwrite a source', async () => {
    const folder = project({ 'action.js': 'export const main = () => 1' })
    const ran = await svc(['build', 'action.js', '--out', 'action.js'], { folder })
    expect(ran).toMatchObject({ code: 2, out: '' })
    expect(ran.err).toContain('is a source of the action')
  })

  it('does not overwrite a source in a folder that is a symbolic link', async () => {
    const folder = project({ 'action.js': 'export const main = () => 1' })
    symlinkSync(folder, join(folder, '../link'))
    const ran = await svc(['build', 'action.js', '--out', 'action.js'], {
      folder: join(folder, '../link'),
    })
    expect(ran.err).toContain('is a source of the action')
    expect(readFileSync(join(folder, 'action.js'), 'utf8')).toBe('export const main = () => 1')
  })

  it('prints the reason of a failed build, also as JSON, and exits with 2', async () => {
    const folder = project({ 'action.ts': 'import fs from "fs"\nexport const main = () => fs.x' })
    const ran = await svc(['cid', 'action.ts', '--json'], { folder })
    expect(ran).toMatchObject({ code: 2, out: '' })
    expect(JSON.parse(ran.err)).toEqual({
      error: 'build_failed',
      message: expect.stringContaining('action.ts imports node:fs, which actions do not have'),
      fix: 'Nothing was sent.',
    })
  })

  it.each([
    ['a file that does not exist', 'src/missing.ts', /no such file/],
    [
      'another version of esbuild',
      'src/action.ts',
      /esbuild 0\.20\.1 is installed, .* npm install/,
    ],
  ])('fails for %s', async (_what, entry, message) => {
    const esbuild = { 'index.js': 'exports.version = "0.20.1"' }
    const folder = project({ ...FILES, ...installed('esbuild', esbuild) })
    const ran = await svc(['build', entry], { folder })
    expect(ran.code).toBe(2)
    expect(ran.err).toMatch(message)
  })
})

describe('svc run --watch', () => {
  it('builds again when a module changes, and continues after a failed build', async () => {
    const folder = project({
      'src/action.ts': `import { text } from './text.ts'\nexport const main = () => text`,
      'src/text.ts': `export const text = 'first'`,
    })
    const interrupt = new AbortController()
    /** The result that a run of each sent source would have. */
    const sent: string[] = []
    let arrived: () => void = () => undefined
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (part) => (body += part))
      request.on('end', () => {
        sent.push(/'?"?(first|second|third)"/.exec(JSON.parse(body).code)![1]!)
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ response: sent.at(-1), logs: '', has_error: false }))
        arrived()
      })
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void server.close())
    const base = `http://localhost:${(server.address() as AddressInfo).port}`
    const environment = {
      SVC_CONFIG_DIR: join(folder, 'config'),
      SVC_USAGE_KEY: `${'A'.repeat(43)}=`,
    }
    const ran = svc(['run', 'src/action.ts', '--watch', '--base-url', base], {
      folder,
      environment,
      signal: interrupt.signal,
    })
    const next = async (change: () => void) => {
      const run = new Promise<void>((resume) => (arrived = resume))
      change()
      await run
    }
    await next(() => undefined)
    await next(() => writeFiles(folder, { 'src/text.ts': `export const text = 'second'` }))
    writeFileSync(join(folder, 'src/text.ts'), 'export const text = (')
    // The next build succeeds only after the correction, and its module did not exist before.
    await next(() =>
      writeFiles(folder, {
        'src/third.ts': `export const third = 'third'`,
        'src/text.ts': `export { third as text } from './third.ts'`,
      }),
    )
    interrupt.abort(new Error('interrupted'))
    expect((await ran).code).toBe(130)
    expect(sent).toEqual(['first', 'second', 'third'])
  })
})
