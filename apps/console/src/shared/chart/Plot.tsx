import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { type PlotInput, plotData, plotOptions } from './plotOptions.ts'

/** The plot of a chart, in a separate module so that pages without charts do not load the library. */
export default function Plot(
  props: Omit<PlotInput, 'colorOf'> & {
    readonly height: number
    readonly moment: number | null
    readonly onMoment: (place: number | null) => void
  },
) {
  const { height, moment, onMoment, kind, unit, times, stepMs, series, syncKey } = props
  const scheme = useComputedColorScheme('light')
  const { ref: box, width } = useElementSize()
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the color scheme changes the colors
  useEffect(() => {
    if (host.current === null || width === 0) return
    const input = { kind, unit, times, stepMs, series, syncKey, colorOf: colorsOf(host.current) }
    const made = new uPlot(plotOptions(input, { width, height }, onMoment), plotData(input), host.current)
    plot.current = made
    return () => {
      plot.current = null
      made.destroy()
    }
  }, [kind, unit, times, stepMs, series, syncKey, width, height, scheme, onMoment])

  // Buckets selected by keyboard are marked like those under the pointer.
  useEffect(() => {
    const made = plot.current
    if (made === null || moment === null || made.cursor.idx === moment) return
    const at = made.data[0][moment]
    if (at !== undefined) made.setCursor({ left: made.valToPos(at, 'x'), top: 1 })
  }, [moment])

  return (
    <div ref={box} style={{ height, overflow: 'hidden' }}>
      <div ref={host} />
    </div>
  )
}

function colorsOf(element: Element): PlotInput['colorOf'] {
  const style = getComputedStyle(element)
  return (name) => style.getPropertyValue(name === 'text' ? '--mantine-color-dimmed' : `--ph-${name}`)
}
