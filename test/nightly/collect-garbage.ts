/**
 * Collects the garbage of all Workers of a workerd process, through its inspector. V8 lets garbage accumulate until a
 * heap reaches its limit, which takes hours under steady load and looks like a leak.
 */
export async function collectGarbage(inspectorPort: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${inspectorPort}/json`)
  const targets = (await response.json()) as { webSocketDebuggerUrl: string }[]
  // The connections are closed again, because an attached inspector keeps data of its own.
  for (const { webSocketDebuggerUrl } of targets) await collect(webSocketDebuggerUrl)
}

function collect(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.addEventListener('error', () =>
      reject(new Error(`the inspector at ${url} is unreachable`)),
    )
    socket.addEventListener('open', () =>
      socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' })),
    )
    socket.addEventListener('message', ({ data }) => {
      const { id, error } = JSON.parse(String(data)) as { id?: number; error?: { message: string } }
      if (id !== 1) return
      socket.close()
      if (error) reject(new Error(error.message))
      else resolve()
    })
  })
}
