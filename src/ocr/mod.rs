//! Pages routed to OCR → OCR requests.
