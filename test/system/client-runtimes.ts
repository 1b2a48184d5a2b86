/** Runs the cases in Node, workerd and Chromium, from one bundle of the built client. */
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { chromium } from 'playwright-core'
import { buildClient, FOR_ANY_RUNTIME } from '../../shared/packaging/build-client.ts'
import type { WorldFacts } from './client/case.ts'

export type RunCase = (name: string, facts: WorldFacts) => Promise<string | undefined>
export type Runtime = { run: RunCase; close: () => Promise<void> }

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Bundles the cases with the packed client instead of its sources.
 * @returns the path of one module that exports `runCase`
 */
export async function bundledSuite(folder: string): Promise<string> {
  const dist = join(folder, 'client')
  await buildClient(dist)
  const packed: Plugin = {
    name: 'the packed client',
    setup(esbuild) {
      const path = join(dist, 'index.js')
      esbuild.onResolve({ filter: /shared\/client\/index\.ts$/ }, () => ({ path }))
    },
  }
  const outfile = join(folder, 'suite.mjs')
  const plugins = [...FOR_ANY_RUNTIME.plugins, packed]
  const nodePaths = [here('../../node_modules')]
  await build({
    ...FOR_ANY_RUNTIME,
    plugins,
    nodePaths,
    entryPoints: [here('client/suite.ts')],
    outfile,
  })
  return outfile
}

export async function inNode(suite: string): Promise<Runtime> {
  const { runCase } = (await import(pathToFileURL(suite).href)) as { runCase: RunCase }
  return { run: runCase, close: async () => {} }
}

const WORKER = `import { runCase } from './suite.mjs'
export default {
  async fetch(request) {
    const { name, facts } = await request.json()
    return Response.json({ wrong: await runCase(name, facts) })
  },
}`

/** Runs without Node compatibility, so the client also works in Workers that enable it. */
export async function inWorkerd(suite: string, caFile: string): Promise<Runtime> {
  // Miniflare reads this variable on import: the CA that workerd trusts in addition to the public ones.
  process.env['NODE_EXTRA_CA_CERTS'] = caFile
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import('miniflare')
  const entry = join(suite, '..', 'worker.mjs')
  await writeFile(entry, WORKER)
  const options = convertV4MiniflareOptions({
    name: 'suite',
    compatibilityDate: '2026-11-01',
    modulesRoot: join(suite, '..'),
    modules: [entry, suite].map((path) => ({ type: 'ESModule', path })),
    cf: false,
    log: new Log(LogLevel.WARN),
    host: '127.0.0.1',
    port: 0,
    // This Miniflare beta types its options by the new schema, but the converter accepts the old one.
  } as unknown as Parameters<typeof convertV4MiniflareOptions>[0])
  const miniflare = new Miniflare(options)
  const url = await miniflare.ready
  return {
    run: async (name, facts) => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ name, facts }) })
      if (!response.ok) return `workerd answers ${response.status}: ${await response.text()}`
      return ((await response.json()) as { wrong?: string }).wrong
    },
    close: () => miniflare.dispose(),
  }
}

export const CHROMIUM = '/usr/bin/chromium'
/**
 * Serves a page from a different origin on this machine: browsers block access to local addresses from public sites.
 */
async function servedPage(suite: string): Promise<{ url: string; close: () => void }> {
  const module = await readFile(suite)
  const server = createServer(({ url }, response) => {
    const isModule = url === '/suite.mjs'
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html')
    response.end(isModule ? module : '<!doctype html><title>suite</title>')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  return { url, close: () => void server.close() }
}

export async function inChromium(suite: string): Promise<Runtime> {
  // Chromium's sandbox needs privileges that containers lack. The page is trusted.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']
  args.push('--disable-background-networking', '--disable-component-update', '--disable-sync')
  const browser = await chromium.launch({ executablePath: CHROMIUM, args })
  // Chromium does not trust the local stack's CA. In production the certificate is publicly trusted.
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  const page = await context.newPage()
  const served = await servedPage(suite)
  await page.goto(served.url)
  await page.evaluate(`import('/suite.mjs').then((suite) => { globalThis.suite = suite })`)
  return {
    run: (name, facts) =>
      page.evaluate(`suite.runCase(${JSON.stringify(name)}, ${JSON.stringify(facts)})`),
    close: async () => {
      await browser.close()
      served.close()
    },
  }
}
