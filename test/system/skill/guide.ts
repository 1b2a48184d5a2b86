/** Parses the agent guide into steps: a block of commands, its expected output, and what the agent asks a person. */

/** A request to the person, from the words after **Ask the person**. */
export type Request = 'open' | 'run' | 'whether'

export type Step = {
  /** Document and heading, for error messages. */
  at: string
  commands: string
  sample?: { language: 'json' | 'text'; text: string }
  /** Requests to the person in the text between this block and the next one. */
  asks: Request[]
}

/**
 * Parses the steps of a document, in order. Every fenced block belongs to one.
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
      // Text before the first step explains the phrase and may use other words.
      if (request === undefined && steps.length > 0)
        throw new Error(`${at}: nobody knows how to be asked "${words}"`)
      if (request !== undefined) steps.at(-1)!.asks.push(request)
    }
    heading = [...prose.matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? heading
  }
  return steps
}

/** Documents that a document links to, one level deep, in order and without duplicates. */
export function referencesOf(markdown: string): string[] {
  return [...new Set([...markdown.matchAll(/\]\((references\/[^)#]+)/g)].map(([, path]) => path!))]
}
