/** The guide for agents, taken apart into what its reader does: each block of commands, what it prints, and whom it asks. */

/** What a person is asked, in the words that stand behind **Ask the person**. */
export type Request = 'open' | 'run' | 'whether'

export type Step = {
  /** For a failed test's eyes: the document and the heading. */
  at: string
  commands: string
  sample?: { language: 'json' | 'text'; text: string }
  /** What the text under the block asks the person, before the next block. */
  asks: Request[]
}

/**
 * The steps of a document, in order. Every fenced block is a part of one.
 * @throws {Error} for a block that is neither commands nor the sample of the block above it, and for an unknown request
 */
export function stepsOf(name: string, markdown: string): Step[] {
  const steps: Step[] = []
  let heading = name
  for (const part of markdown.split(/^(?=```\w)/m)) {
    const [, language, content = '', rest = ''] = /^```(\S*)\n(.*?)^```$(.*)/ms.exec(part) ?? []
    const at = `${name}, ${heading}`
    const step = steps.at(-1)
    if (language === 'sh') steps.push({ at, commands: content, asks: [] })
    else if ((language === 'json' || language === 'text') && step && !step.sample)
      step.sample = { language, text: content }
    else if (language !== undefined)
      throw new Error(`${at}: a block of ${language || 'nothing'} that no block of sh is above`)
    const prose = language === undefined ? part : rest
    if (prose.includes('```')) throw new Error(`${at}: a fence that does not close, or is indented`)
    for (const [, words = ''] of prose.matchAll(/\*\*Ask the person\*\* (.{0,20})/gs)) {
      const request = (['open', 'run', 'whether'] as const).find((each) =>
        new RegExp(`^(to )?${each}\\b`).test(words),
      )
      // The page's own word for who is meant stands before the first step.
      if (request === undefined && steps.length > 0)
        throw new Error(`${at}: nobody knows how to be asked "${words}"`)
      if (request !== undefined) steps.at(-1)!.asks.push(request)
    }
    heading = [...prose.matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? heading
  }
  return steps
}

/** The documents that a document links to, one level below it, in order and each once. */
export function referencesOf(markdown: string): string[] {
  return [...new Set([...markdown.matchAll(/\]\((references\/[^)#]+)/g)].map(([, path]) => path!))]
}
