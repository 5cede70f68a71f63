"""Reads a JSON array of [signal, base64 of an OTLP export request] and writes the requests as OTLP's JSON, one a line."""

import base64
import json
import sys

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

MESSAGES = {"traces": ExportTraceServiceRequest, "metrics": ExportMetricsServiceRequest}

for signal, text in json.load(sys.stdin):
    message = MESSAGES[signal]()
    message.ParseFromString(base64.b64decode(text))
    print(json.dumps(MessageToDict(message)))
