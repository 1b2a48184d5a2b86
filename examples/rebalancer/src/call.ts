const NODE = 'https://mainnet.base.org'

/** Calls a contract without a transaction. @returns the result as 0x hex */
export async function call(to: string, data: string): Promise<string> {
  const response = await fetch(NODE, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ to, data }, 'latest'],
    }),
  })
  const { result, error } = (await response.json()) as {
    result?: string
    error?: { message: string }
  }
  if (result === undefined || result === '0x')
    throw new Error(`the call failed: ${error?.message ?? 'no contract'}`)
  return result
}
