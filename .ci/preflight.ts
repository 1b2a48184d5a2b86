/** `npm run preflight -- edge|origin`: names every fault of a deployment's configuration. */
const [side, ...args] = process.argv.slice(2)

/** Imported on demand, because each side loads a second's worth of modules. */
async function preflight(): Promise<number> {
  switch (side) {
    case 'edge':
      return (await import('../edge/preflight/main.ts')).preflightEdge(args)
    case 'origin':
      return (await import('../origin/preflight/main.ts')).preflightOrigin(args)
    default:
      console.error('usage: npm run preflight -- edge|origin [options]')
      return 2
  }
}

process.exit(await preflight())
