/**
 * The team behind every example: the blog of a bicycle workshop. One article goes through its whole life, so
 * a reader who puts the examples side by side sees the same ids come back.
 */
export const people = { editor: 'usr_01k94fsmr4p7w2h9ct0ezvb3xj', owner: 'usr_01k94fqc71gd8k5y3snb6a2rqe' }

export const chainCare = {
  generation: {
    id: 'gen_01kgenv9chain',
    kind: 'article',
    title: 'Chain care for winter commuters',
    content_id: 'cnt_01kgenv8chain',
  },
  firstVersion: 'ver_01kgeq4bchain1',
  secondVersion: 'ver_01kghr6fchain2',
  schedule: 'sch_01kght2pchain',
  comment: 'cmt_01kgg0m8chain',
  publication: {
    id: 'pub_01kgkc3dchain',
    slug: 'winter-chain-care',
    destination_id: 'dst_01k94ht8blog',
    url: 'https://blog.spokewell.example/winter-chain-care',
  },
}

export const wheelTruing = {
  generation: {
    id: 'gen_01kgpqaywheel',
    kind: 'article',
    title: 'How to true a wheel at home',
    content_id: 'cnt_01kgpqaxwheel',
  },
  version: 'ver_01kgps5nwheel1',
  schedule: 'sch_01kgpt7awheel',
}

export const tyrePressure = {
  generationId: 'gen_01kgrm4htyres',
  title: 'Tyre pressure, explained without a chart',
  schedule: 'sch_01kgrn5jtyres',
}

export const springPlan = {
  id: 'pln_01kfd8emspring',
  title: 'Spring: back on the bike',
  strategy_id: 'str_01kertbvriders',
}
