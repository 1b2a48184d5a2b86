/** The list of examples in the form for a new trigger, which loads it on demand. */
import type { FC } from 'hono/jsx'
import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import examples from 'svc:examples'
import type { BuiltExample } from './built-example.ts'

type ExampleListOptions = {
  /** Empty element for the list. */
  target: HTMLElement
  /** Kind of the trigger. Only examples of this kind are listed. */
  kind: string
  source: () => string
  use: (example: BuiltExample) => void
}

export function showExamples({ target, kind, source, use }: ExampleListOptions): void {
  const offered = examples.filter((example) => example.kind === kind)
  const isWritten = () =>
    source().trim() !== '' && !examples.some(({ code }) => code.trim() === source().trim())
  render(
    <ul class="examples">
      {offered.map((example) => (
        <ExampleItem key={example.name} {...{ example, isWritten, use }} />
      ))}
    </ul>,
    target,
  )
}

type ExampleItemProps = Pick<ExampleListOptions, 'use'> & {
  example: BuiltExample
  /** True if the source is neither empty nor an example. */
  isWritten: () => boolean
}

const ExampleItem: FC<ExampleItemProps> = ({ example, isWritten, use }) => {
  const [asks, setAsks] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (asks) keep.current?.focus()
  }, [asks])
  const label = `Start from ${example.name}`
  return (
    <li>
      <button
        type="button"
        class="quiet"
        ref={button}
        aria-label={label}
        aria-expanded={asks}
        onClick={() => (isWritten() ? setAsks(true) : use(example))}
      >
        {example.name}
      </button>{' '}
      {example.description}
      {asks && (
        <div class="confirm" role="group" aria-label={label}>
          <p>The example replaces the source that you have written.</p>
          <div class="actions">
            <button
              type="button"
              class="danger"
              onClick={() => {
                setAsks(false)
                use(example)
              }}
            >
              Replace the source
            </button>
            <button
              type="button"
              class="quiet"
              ref={keep}
              onClick={() => {
                setAsks(false)
                button.current?.focus()
              }}
            >
              Keep it
            </button>
          </div>
        </div>
      )}
    </li>
  )
}
